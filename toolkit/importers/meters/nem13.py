"""NEM13: accumulation meter data (dial readings between visits), AEMO Meter Data File Format."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.nem12 import QUALITY_OF_FLAG, RowError, aemo_date
from toolkit.importers.meters.registers import (
    AccumulationRead,
    Register,
    add_accumulation_read,
    add_registers,
    amount,
    in_stored_unit,
    is_accumulated_controlled_load,
    is_controlled_load,
    measure,
)
from toolkit.importers.source import Record, Source, records
from toolkit.tables.registers import Direction, is_later

_KINDS = (["100"], ["250"], ["550"], ["900"])
"""The first cells of rows; 100, 550 (how it was transmitted) and 900 carry nothing that is kept."""


def read_nem13(source: Source, options: Options) -> Imported:
    """Read accumulation reads of a NEM13 file. Raises ImportFailedError where it holds no 250 row."""
    imported = Imported("nem13", "meter_reads", {"meter_reads": []})
    reads: list[AccumulationRead] = []
    found = list(records(source))
    rows = [record for record in found if record.cells[:1] == ["250"]]
    if not rows:
        raise ImportFailedError(source.at(1), "has no meter reads. Ask your retailer or distributor for the file again")
    for record in found:
        if record.cells[:1] not in _KINDS:
            imported.warn(source.at(record.line), "this line is not one of a NEM13 file, so it was left out")
    for record in rows:
        try:
            reads.append(record_250(source, record, options))
        except RowError as reason:
            imported.reject(source.at(record.line), str(reason))
        else:
            _check_dial(record, reads[-1], imported)
    kept = _latest(reads, imported)
    for read in kept:
        add_accumulation_read(imported, read)
    add_registers(imported, [read.register for read in kept])
    return imported


def record_250(source: Source, record: Record, options: Options) -> AccumulationRead:
    """Read a 250 row: NMI, NMIConfiguration, RegisterID, NMISuffix, MDMDataStreamID, MeterSerial, DirectionIndicator,
    PreviousRead, PreviousReadDateTime, PreviousQuality, ReasonCode, ReasonDescription, CurrentRead,
    CurrentReadDateTime, CurrentQuality, ReasonCode, ReasonDescription, Quantity, UOM, NextScheduledRead,
    UpdateDateTime, MSATSLoadDateTime.

    `250,NEM1311002,11,1,11,11,11002,E,38841,20041117093206,A,,,39013,20050217074053,A,,,31,KWH,20050519,20050218104410,`

    A read counts for the days from the previous reading's to the day before its own, so that reads in a row tile.
    Direction I (into the market) is the household's export, and some write its quantity negative.
    """
    cells = record.cells + [""] * (23 - len(record.cells))
    flows: dict[str, Direction] = {"E": "import", "I": "export"}
    flow = flows.get(cells[7].upper())
    register = Register(
        service_point=cells[1],
        meter=cells[6],
        suffix=cells[4],
        register_id=cells[3] or None,
        measure=measure(cells[4], cells[19], flow=flow),
        controlled_load=is_accumulated_controlled_load(cells[4])
        or is_controlled_load(cells[4], options.controlled_load),
    )
    if not cells[1] or not cells[4]:
        raise RowError("the meter number (NMI) or the meter's channel is missing")
    first, until = aemo_date(cells[9][:8].encode()), aemo_date(cells[14][:8].encode())
    if until < first:
        raise RowError(f"the reading of {until} comes before the one of {first}")
    quality = QUALITY_OF_FLAG.get(cells[15][:1].upper(), "ACTUAL") or "ACTUAL"
    if quality == "MISSING":
        raise RowError("the file says that the meter was not read, so nothing was taken")
    value = _quantity(cells[18], register.measure.shift, sent_out=flow == "export")
    last = max(first, until - timedelta(days=1))
    where = source.at(record.line)
    return AccumulationRead(register, first, last, value, where, quality, cells[21] or None, record.raw)


def _quantity(text: str, shift: int, *, sent_out: bool) -> Decimal:
    """Return the quantity in the stored unit, without its sign."""
    value = amount(text)
    if value is None:
        raise RowError(f"{text!r} is not an amount of energy")
    if value < 0 and not sent_out:
        raise RowError(f"the quantity {text} is negative")
    try:
        return in_stored_unit(value.copy_abs(), shift)
    except ValueError as error:
        raise RowError(f"the quantity {text}: {error}") from None


def _check_dial(record: Record, read: AccumulationRead, imported: Imported) -> None:
    """Warn if the dial did not move by the quantity or a whole multiple (the multiplier)."""
    before, after, quantity = (amount(record.cells[place]) for place in (8, 13, 18))
    if before is None or after is None or quantity is None:
        return
    moved = after - before if after >= before else after - before + 10 ** len(record.cells[8].split(".")[0])
    try:
        fits = not moved or not abs(quantity) % moved
    except ArithmeticError:  # more times than digits can count: the dial moved by next to nothing
        fits = False
    if not fits:
        reason = f"the dial moved by {moved}, but the quantity is {abs(quantity)}: the quantity counts"
        imported.warn(read.where, reason)


def _latest(reads: list[AccumulationRead], imported: Imported) -> list[AccumulationRead]:
    """Keep one read for each register and span: the later update time, else the later row. Both are noted."""
    kept: dict[tuple[object, ...], AccumulationRead] = {}
    for read in reads:
        earlier = kept.get(read.key)
        winner = earlier if earlier and is_later(earlier.updated_at, read.updated_at) else read
        if earlier:
            loser = read if winner is earlier else earlier
            line = winner.where.rpartition(":")[2]
            imported.warn(loser.where, f"the file has these days twice: line {line} counts")
        kept[read.key] = winner
    return list(kept.values())
