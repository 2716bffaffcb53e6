"""Words of a bank's description that name nobody: kinds of payment, channels, products, institutions, saving.

Sources: descriptions of Australian banks as public parsers and tests show them; the lists are this project's own. A
word that is a person's name too (Bill, April, Max, Cho, Day) is in no list by itself.
"""

from __future__ import annotations

PAYMENT_WORDS = """
transfer transfers tfr tfer trf xfer tfx trnsfr trnsf tfd tfc trns trans transaction txn funds payment payments pymt
payt pmt pay paid repayment repayments repaid instalment installment withdrawal wdl wd deposit dep credit cr debit dr
direct internet online mobile phone banking bank netbank commbank app web ebanking bkg osko npp payid payto fast sct
instant bpay eft anyone internal external inward outward incoming outgoing own my me myself mine self the of in on at
for via into out with between linked account accounts acc accs acct no number num ref reference receipt rcpt id auth
value date effective sweep swept round ups roundup roundups auto autosave autopay automatic automated scheduled
recurring regular periodic periodical authority standing order weekly fortnightly monthly received rcvd sent move
moved movement top up topup misc miscellaneous other another same new old thank you thanks your null
"""
"""Kinds of payment and channels, and the small words between them."""

ACCOUNT_WORDS = """
savings saving saver savers save sav svgs goal goals goalsaver everyday spending spend spends spendings transact bills
holiday holidays emergency buffer fund offset mortgage loan loans home housing redraw overdraft card cards visa
mastercard joint cash reserve cma money term main primary budget smart access complete streamline orange maximiser
maximizer accelerator reward progress esaver isaver choice classic advantage altitude unloan statement balance full
minimum
"""
"""Accounts, banks' products, and what people save for."""

INSTITUTIONS = (
    *("commonwealth bank", "cba", "westpac", "wbc", "anz", "anz plus", "nab", "national australia bank", "st george"),
    *("stgeorge", "stg", "bank of melbourne", "banksa", "bank sa", "bankwest", "ing direct", "ing", "ingdirect"),
    *("macquarie bank", "macquarie", "macbank", "ubank", "up bank", "bendigo bank", "bendigo", "suncorp bank"),
    *("boq", "bank of queensland", "me bank", "amp bank", "hsbc", "citibank", "rabobank", "virgin money", "suncorp"),
    *("great southern bank", "greater bank", "newcastle permanent", "peoples choice", "beyond bank", "heritage bank"),
    *("teachers mutual", "bank australia", "bank first", "defence bank", "police bank", "imb", "hume bank", "cua"),
    *("qudos bank", "judo bank", "credit union", "building society", "american express", "amex"),
    *("westpac cho", "westpac choi", "westpac lif", "westpac life", "westpac esa", "westpac esav", "westpac red"),
    *("rainy day", "everyday plus", "house deposit"),
)
"""Where a household may have another account, and products with words that alone mean something else."""

TITLES = ("mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir")

CHANNELS = ("netbank", "app", "ref", "reference", "desc", "description", "memo", "note", "receipt", "rcpt")
"""What comes after one of these is the payer's own comment, and names the other party no more."""
