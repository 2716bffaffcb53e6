"""What the service's specification asks for, and the test that shows each: the table in `toolkit/docs/service.md`."""

from __future__ import annotations

from collections.abc import Iterator

LISTS, SIGN_IN = "tests/sandbox/test_sandbox_lists.py", "tests/sandbox/test_sandbox_sign_in.py"
WORLD, OPENAPI = "tests/sandbox/test_sandbox_world.py", "tests/sandbox/test_sandbox_openapi.py"
FAULTS, WRONG = "tests/sandbox/test_sandbox_faults.py", "tests/sandbox/test_sandbox_wrong_answers.py"
CONSENT = "tests/sandbox/test_sandbox_consent.py"
ENDPOINTS, RECORDS, PAGES = "tests/wire/test_endpoints.py", "tests/wire/test_records.py", "tests/wire/test_pages.py"
ERRORS, QUESTIONS, PAGING = "tests/wire/test_errors.py", "tests/api/test_questions.py", "tests/api/test_paging.py"
MUTUAL = "tests/sandbox/test_sandbox_mutual_tls.py"
TOKENS, RETRIES = "tests/api/test_tokens.py", "tests/api/test_retries.py"
DOCTOR, LISTEN, INVITE = (
    "tests/flows/data/test_doctor.py",
    "tests/flows/sync/test_listen.py",
    "tests/flows/consent/test_invitations.py",
)
EVENTS, CONNECT, SYNC = (
    "tests/api/test_events.py",
    "tests/flows/consent/test_connect.py",
    "tests/flows/sync/test_sync_flow.py",
)

FEATURES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Paths": (
        ("every path as the specification spells it, and the live ones", ENDPOINTS,
         "test_the_table_has_the_specifications_paths_and_the_live_ones"),
        ("lists named as specified", ENDPOINTS, "test_arrays_are_named_as_specified"),
        ("`/v1/banking/acccounts/direct-debits` with its three c's", QUESTIONS,
         "test_direct_debits_are_asked_for_at_the_path_with_three_cs"),
        ("core paths with and without `/v1`", ENDPOINTS, "test_only_the_unversioned_core_paths_take_a_prefix"),
        ("`/v1/data-provider/cdr/products` with its scope", SIGN_IN,
         "test_the_limited_client_may_read_data_but_not_the_providers_products"),
        ("consents listed and withdrawn (live)", QUESTIONS, "test_consents_are_listed_and_withdrawn"),
        ("institutions listed (live)", QUESTIONS, "test_institutions_are_a_bare_array_asked_for_by_name"),
        ("the consent API", QUESTIONS, "test_the_consent_api"),
    ),
    "Fields": (
        ("every field decoded", RECORDS, "test_every_field_reads_from_a_body_written_from_the_specification"),
        ("every field served", WORLD, "test_every_field_of_the_specification_is_filled_somewhere"),
        ("no field that the specification lacks", WORLD, "test_records_have_no_field_that_the_specification_lacks"),
        ("numbers exactly as written", RECORDS, "test_numbers_are_exactly_as_written"),
        ("the record as it came is kept", PAGES, "test_raw_bytes_are_kept_exactly"),
    ),
    "Paging": (
        ("opaque cursors both ways", LISTS, "test_pages_walk_forwards_and_back_to_where_they_began"),
        ("`page[size]` capped at 1000", LISTS, "test_a_page_is_never_longer_than_a_thousand"),
        ("rows that come or go while paging", LISTS,
         "test_rows_that_come_or_go_while_paging_neither_repeat_nor_hide_others"),
        ("a bad cursor is a 400", LISTS, "test_a_query_that_means_nothing_is_a_bad_request"),
        ("a cursor of another list is a 400", LISTS, "test_a_cursor_serves_only_the_list_that_gave_it"),
        ("absolute and relative links", PAGING, "test_absolute_and_relative_links_give_their_cursor"),
        ("a link to another origin is not followed", PAGING,
         "test_pages_before_a_hostile_link_are_given_out_and_no_token_leaves"),
        ("pages that go in a circle end", PAGING, "test_a_circle_ends_with_the_pages_so_far"),
    ),
    "Filters": (
        ("transactions by time: posting, then execution, neither is out", LISTS,
         "test_from_and_to_compare_posting_then_execution"),
        ("transactions by status, account, several categories", LISTS,
         "test_transactions_by_status_account_and_several_categories"),
        ("usage by service point and day", LISTS, "test_usage_by_day_and_service_point"),
        ("invoices and billing by their filters", LISTS, "test_invoices_and_billing_by_number"),
        ("balances with `fetch=true`", LISTS, "test_a_balance_is_fetched_only_for_one_account"),
        ("the consumer's address and agent forwarded", QUESTIONS, "test_balances_with_the_consumer_present"),
        ("products by institution, in both spellings", LISTS, "test_products_of_an_institution_in_either_spelling"),
        ("end users by email", SIGN_IN, "test_end_users_are_created_once_and_found_by_address"),
    ),
    "Authentication": (
        ("tokens for 900 seconds", SIGN_IN, "test_credentials_become_a_token_for_fifteen_minutes"),
        ("401 `invalid_client`", SIGN_IN, "test_a_wrong_secret_is_an_invalid_client"),
        ("expired tokens", SIGN_IN, "test_a_token_ends_when_the_clock_passes_its_time"),
        ("403 `insufficient_scope`", SIGN_IN, "test_the_limited_client_may_read_data_but_not_the_providers_products"),
        ("429 past a settable rate", FAULTS, "test_past_a_set_rate_a_client_is_told_when_to_come_again"),
        ("`Retry-After` in seconds or as a date", RETRIES, "test_retry_after_as_a_date_is_kept_to"),
        ("one renewal for a hundred callers", TOKENS, "test_a_hundred_callers_share_one_renewal"),
        ("mutual TLS and bound tokens", MUTUAL, "test_the_consent_api_wants_a_token_bound_to_the_certificate"),
        ("another client's certificate refused", MUTUAL, "test_another_clients_certificate_does_not_carry_the_token"),
        ("expired certificates refused", MUTUAL, "test_an_expired_certificate_is_refused"),
        ("foreign certificates refused", MUTUAL, "test_a_foreign_authoritys_certificate_is_refused"),
        ("TLS below 1.2 refused", MUTUAL, "test_tls_below_1_2_is_refused"),
    ),
    "Errors": (
        ("four bodies with their fields", ERRORS, "test_the_fields_of_each_body_are_those_of_the_specification"),
        ("what one side writes the other reads", ERRORS, "test_what_one_side_writes_the_other_reads"),
        ("each becomes what a caller can do", ERRORS, "test_each_failure_becomes_what_a_caller_can_do"),
        ("the consent API's refusals speak of the certificate", ERRORS,
         "test_a_refusal_by_the_consent_api_advises_the_certificate"),
        ("`application/vnd.goa.error`", SIGN_IN, "test_one_end_user_or_institution_that_is_not_there_is_a_goa_error"),
    ),
    "Live spelling": (
        ("the deployment's own word, version and prefix", QUESTIONS, "test_a_deployments_own_word_version_and_prefix"),
        ("camelCase and odd underscores", PAGES, "test_camel_case_and_odd_underscores_are_read"),
        ("the data standard's own shape", "tests/wire/test_standard_shape.py",
         "test_an_account_with_its_plan_in_camel_case"),
        ("`doctor`: core prefix", DOCTOR, "test_core_paths_under_another_prefix"),
        ("`doctor`: platform word", DOCTOR, "test_another_word_than_the_one_set"),
        ("`doctor`: version", DOCTOR, "test_a_version_that_is_refused"),
        ("`doctor`: version, prefix and word together", DOCTOR, "test_version_prefix_and_word_together"),
        ("`doctor`: lists that never answer", DOCTOR, "test_data_that_never_answers_is_an_error"),
        ("a word that is set late or missing for a run", "tests/flows/sync/test_spelling_changed.py",
         "test_nothing_is_doubled_whenever_the_word_is_set"),
        ("`doctor`: sign-in", DOCTOR, "test_credentials_that_are_refused"),
        ("`doctor`: TLS", DOCTOR, "test_an_authority_that_is_not_trusted"),
        ("`doctor`: clock", DOCTOR, "test_a_clock_that_is_off"),
    ),
    "Bad input": (
        ("wrong types whose meaning is plain are read", PAGES, "test_types_that_are_off_but_plain_are_read"),
        ("what cannot be read is set aside, the rest kept", PAGES,
         "test_a_record_that_cannot_be_read_is_set_aside_and_the_rest_kept"),
        ("`links` absent or empty", PAGES, "test_absent_or_empty_links_end_the_list"),
        ("odd rows on purpose", WRONG, "test_odd_rows_are_read_where_their_meaning_is_plain"),
    ),
    "The document": (
        ("`/openapi.json`", OPENAPI, "test_the_document_is_served"),
        ("schemathesis finds no 5xx and nothing off the schema", OPENAPI,
         "test_every_answer_keeps_to_the_document"),
        ("every seeded record keeps to it", OPENAPI, "test_every_record_keeps_to_the_document"),
    ),
    "Everything arrives": (
        ("nothing doubled by a second sync", SYNC,
         "test_two_identical_purchases_stay_two_and_a_second_sync_adds_nothing"),
        ("unreadable records wait in quarantine", SYNC,
         "test_unreadable_records_wait_in_quarantine_and_go_in_when_readable"),
        ("a list that breaks off stops nothing else", SYNC,
         "test_a_list_that_breaks_off_keeps_its_earlier_pages_and_the_rest_goes_on"),
    ),
    "Consent and events": (
        ("the flow ends with a consent or says why", CONNECT,
         "test_a_flow_without_a_consent_says_why_and_keeps_nothing"),
        ("sessions serve once and end", CONSENT, "test_a_session_serves_once_and_not_for_ever"),
        ("a consent given on another device is found", INVITE, "test_a_consent_given_on_another_device_is_found"),
        ("invitations, found by the next sync", INVITE, "test_the_next_sync_finds_the_consent_and_adopts_it"),
        ("forged webhooks refused", EVENTS, "test_a_forged_message_is_refused"),
        ("stale webhooks refused", EVENTS, "test_a_stale_message_is_refused"),
        ("doubled webhooks without effect", EVENTS, "test_a_message_that_comes_again_is_taken_without_effect"),
        ("`sync --listen` pulls what an event names", LISTEN,
         "test_another_day_at_the_service_is_pulled_by_its_messages"),
        ("polling goes on", LISTEN, "test_polling_goes_on"),
    ),
}  # fmt: skip


def features() -> Iterator[str]:
    """Yield the lines of the table in `toolkit/docs/service.md`; paths are relative to that page."""
    yield "| | feature | test |"
    yield "|---|---|---|"
    for group, rows in FEATURES.items():
        for number, (feature, file, test) in enumerate(rows):
            yield f"| {'' if number else f'**{group}**'} | {feature} | [`{test}`](../../{file}) |"
