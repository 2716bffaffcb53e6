"""The tab Categories and rules: own categories, names and groups; rules in words, tried, kept in a file."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.decisions import Override, Rules, RulesFile
from toolkit.charts import style
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money.edits.rule_file import import_rules_text, rules_text
from toolkit.flows.money.edits.settings import add_category, list_categories, name_category
from toolkit.flows.money.rules import add_rule, list_rules, remove_rule, try_rule
from toolkit.flows.wording import OWN_ACCOUNT, counted, new_categories, payees_of
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below
from toolkit.pages.money.names import Names, months_between
from toolkit.pages.money.transaction_list import ROUND, finish
from toolkit.pages.text import plain

FITS = {"The text contains": False, "The payee is": True}
LARGEST_FILE = 1_000_000
SAVED = "rule-saved"
"""Set once a rule is saved: its form is then empty."""


def render(ctx: Context) -> None:
    """Show the rules with their forms, then the categories with theirs."""
    names = Names.of(ctx)
    st.subheader("Rules")
    known, above = ask(list_rules, ctx), st.container()
    rules = _of_texts_and_payees(known)
    with st.expander("Add a rule", expanded=not rules):
        _add_rule(ctx, names, widgets.last_drawn(known, key=f"rules-shown-{ctx.household}"))
    if rules:
        with st.expander("Remove a rule"):
            words = widgets.distinct({rule.number: in_words(rule, names) for rule in reversed(rules)})
            number = st.selectbox("Rule", list(words), format_func=words.__getitem__, index=None, key="rule-to-remove")
            if st.button("Remove", key="remove-rule", disabled=number is None) and number is not None:
                with explained():
                    remove_rule(ctx, number)
                    finish("The rule is removed.")
    with st.expander("Rules as a file"):
        _file(ctx)
    with above:
        _listed(ask(list_rules, ctx), names)  # after the file, so that rules read from it are listed too
    st.subheader("Categories")
    _categories(ctx, names)


def _of_texts_and_payees(known: Rules) -> list[Override]:
    return [rule for rule in known.rules if rule.kind in ("rule", "payee")]


def _listed(known: Rules, names: Names) -> None:
    rules = _of_texts_and_payees(known)
    if not rules:
        st.info("No rules yet. Add one below, or change a category in the list of transactions.")
        return
    shown: list[widgets.Row] = [{"rule": in_words(rule, names)} for rule in reversed(rules)]
    widgets.table(shown, {"rule": widgets.words("Rule")}, name="rules", download=False)
    st.caption("Of the rules that fit a transaction, the newest counts. A category you chose for it comes first.")
    for note in known.notes:
        st.warning(plain(note.page))


def in_words(rule: Override, names: Names) -> str:
    """Return a rule as a sentence."""
    fits = "the payee is" if rule.kind == "payee" else "the text contains"
    return f"If {fits} “{payees_of(rule.subject)}”, it is {names.name(rule.value)}."


def _add_rule(ctx: Context, names: Names, known: Rules) -> None:
    if st.session_state.pop(SAVED, False):
        st.session_state["rule-words"], st.session_state["rule-category"] = "", None
    fits = st.selectbox("If", list(FITS), key="rule-fits", width=220)
    pattern = st.text_input("Words", key="rule-words", placeholder="for example: bunnings").strip()
    below = st.container()
    category = st.selectbox(
        "it is", names.choices, index=None, format_func=names.found_by, key="rule-category", width=420
    )
    if not pattern:
        return
    payee = FITS[fits or "The text contains"]
    with refused_below({"PATTERN": below}):
        tried = ask(try_rule, ctx, pattern, names.code_of.get(category or ""), payee=payee)
        months = f" ({months_between(tried.months)})" if tried.months else ""
        sum_ = f"{style.aud(abs(tried.spent))} {'spent' if tried.spent >= 0 else 'received'}"
        st.write(plain(f"It fits {counted(tried.count, 'transaction')}, {sum_}{months}."))
        rows = [
            {
                "date": row.date,
                "who": row.merchant or row.description,
                "amount": row.amount,
                "category": names.name(row.secondary_category or row.primary_category),
            }
            for row in tried.transactions[:100]
        ]
        columns = {
            "date": widgets.day("Date"),
            "who": widgets.words("Shop or payee"),
            "amount": widgets.money("Amount"),
            "category": widgets.words("Category now"),
        }
        widgets.table(rows, columns, name="rule-tried", download=False)
        if st.button("Save the rule", key="save-rule", type="primary", disabled=category is None) and category:
            add_rule(ctx, pattern, names.code_of[category], payee=payee, shown=known)
            st.session_state[SAVED] = True
            finish(f"The rule is saved: {counted(tried.count, 'transaction')} changed, and those to come.")


def _file(ctx: Context) -> None:
    text, count = ask(rules_text, ctx)
    if count:
        st.write(f"{counted(count, 'rule')}, one a line, to keep, to edit or to take to another computer.")
        st.download_button(
            "Download the rules", text, "rules.txt", "text/plain", key="download-rules", on_click="ignore"
        )
    given = st.file_uploader("Add rules from a file", type=["txt"], key="rules-file")
    if given is None:
        return
    if given.size > LARGEST_FILE:
        st.warning("The file is larger than 1 MB, so it is not a file of rules.")
        return
    written = given.getvalue().decode("utf-8", errors="replace")
    with explained():
        added = st.container()
        preview = import_rules_text(ctx, written, name=given.name, preview=True)
        if preview.added and st.button(f"Add {counted(preview.added, 'rule')}", key="add-rules-file", type="primary"):
            read = import_rules_text(ctx, written, name=given.name)
            finish(f"{counted(read.added, 'rule')} added.")
        with added:
            _file_in_words(preview)


def _file_in_words(preview: RulesFile) -> None:
    """Say what a file of rules would add, and which of its lines cannot be read."""
    if preview.problems:
        st.warning(f"{counted(len(preview.problems), 'line')} could not be read.")
        widgets.problems(preview.problems, key="rules-file")
    if not preview.added:
        st.info("The file has no rule that is not here already.")
    elif preview.new_categories:
        st.info(plain(new_categories(preview.new_categories)))


def _categories(ctx: Context, names: Names) -> None:
    listed = ask(list_categories, ctx).categories
    shown_once = {  # codes of one name are shown as one category
        (names.name(row.group), row.name): "Yours" if row.own else None
        for row in listed
        if row.code != row.group or row.own or row.code == OWN_ACCOUNT
    }
    rows = [{"group": group, "name": name, "own": own} for (group, name), own in shown_once.items()]
    columns = {"group": widgets.words("Group"), "name": widgets.words("Category"), "own": widgets.words("Added by")}
    groups = list(dict.fromkeys(names.name(row.group) for row in listed if row.group != OWN_ACCOUNT))
    with st.expander("Add a category"), st.form("add-category", border=False):
        added = st.session_state.get(ROUND, 0)  # another key empties the fields once it is added
        name = st.text_input("Name", key=f"new-category-name-{added}")
        below = st.container()
        group = st.selectbox(
            "In the group", groups, index=None, placeholder="A group of its own", key=f"new-category-group-{added}"
        )
        if st.form_submit_button("Add", type="primary"):
            with refused_below({"NAME": below}):
                add_category(ctx, name, group=names.code_of[group] if group else "")
                finish(f"{name.strip()} is added.")
    with st.expander("Rename a category, or move it to another group"):
        chosen = st.selectbox(
            "Category", names.choices, index=None, format_func=names.found_by, key="category-to-change"
        )
        before = widgets.last_drawn(chosen, key="category-changed")
        if before and before not in names.choices:
            st.warning(plain(f"{before} was renamed or removed after the page was opened. Choose the category again."))
        shown = widgets.last_drawn({row.code: row for row in listed}, key="category-groups")
        if chosen:
            with st.form("change-category", border=False):
                new = st.text_input("New name", chosen, key=f"name-of-{chosen}")
                below = st.container()
                others = ["Where it is", *groups]
                moved = st.selectbox("In the group", others, key=f"group-of-{chosen}")
                if st.form_submit_button("Save", type="primary"):
                    with refused_below({"NAME": below}):
                        if not new.strip():
                            raise UsageError("Enter a name.", option="NAME")
                        code = names.code_of[chosen]
                        name_category(
                            ctx,
                            code,
                            name=new if new.strip() != chosen else None,
                            group=names.code_of[moved] if moved and moved != others[0] else None,
                            shown=shown.get(code),
                        )
                        del st.session_state["category-changed"]  # the old name is gone by what was done here
                        finish("The category is saved.")
    with st.expander("Every category"):
        widgets.table(rows, columns, name="categories")
