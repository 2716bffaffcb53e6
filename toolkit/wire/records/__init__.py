"""Every field of the service's resources, one struct per object."""

from __future__ import annotations

from toolkit.wire.records.banking import (
    Balance,
    BankAccount,
    BankProduct,
    DirectDebit,
    Transaction,
    TransactionsMeta,
)
from toolkit.wire.records.base import Address, EndUserRecord, Number, Wire
from toolkit.wire.records.energy import (
    BillingTransaction,
    Concession,
    DerRecord,
    Invoice,
    ServicePoint,
    UsageRecord,
)
from toolkit.wire.records.energy_plans import EnergyAccount
from toolkit.wire.records.identity import (
    ConsentArrangement,
    ConsentBody,
    ConsentRecord,
    ConsentRequest,
    DataFreshness,
    EndUser,
    EndUserBody,
    EndUserCreated,
    Institution,
    Session,
    SessionBody,
    Token,
    TokenBody,
)
from toolkit.wire.records.payments import Payee, ScheduledPayment

RECORDS: dict[str, type[Wire]] = {
    struct.__name__: struct
    for struct in (
        Balance,
        BankAccount,
        BankProduct,
        BillingTransaction,
        Concession,
        ConsentArrangement,
        ConsentBody,
        ConsentRecord,
        ConsentRequest,
        DataFreshness,
        DerRecord,
        DirectDebit,
        EndUser,
        EndUserBody,
        EndUserCreated,
        EnergyAccount,
        Institution,
        Invoice,
        Payee,
        ScheduledPayment,
        ServicePoint,
        Session,
        SessionBody,
        Token,
        TokenBody,
        Transaction,
        TransactionsMeta,
        UsageRecord,
    )
}
"""The structs that the endpoint table names."""

__all__ = [
    "RECORDS",
    "Address",
    "Balance",
    "BankAccount",
    "BankProduct",
    "BillingTransaction",
    "Concession",
    "ConsentArrangement",
    "ConsentBody",
    "ConsentRecord",
    "ConsentRequest",
    "DataFreshness",
    "DerRecord",
    "DirectDebit",
    "EndUser",
    "EndUserBody",
    "EndUserCreated",
    "EndUserRecord",
    "EnergyAccount",
    "Institution",
    "Invoice",
    "Number",
    "Payee",
    "ScheduledPayment",
    "ServicePoint",
    "Session",
    "SessionBody",
    "Token",
    "TokenBody",
    "Transaction",
    "TransactionsMeta",
    "UsageRecord",
    "Wire",
]
