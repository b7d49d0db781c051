"""Registrars on several machines that a network joins badly, parts and joins again, while everybody goes on.

Nothing here is about one thing that goes wrong. Clients ask, command, leave, give up, hang, vanish and come
back; things fail and are unwell; managers are restarted; and all the while the network does what one may do
(`machines`). All the time nothing may be so that must never be; and when the network has been whole for a
while all has to be as if it always had been (`wired_judge`).
"""

from __future__ import annotations

from typing import Final

from framework.interlock import Interlock
from pilothouse.testbed.histories.distance import RECONFIRMED_S
from pilothouse.testbed.histories.machines import Order
from pilothouse.testbed.histories.stage import BEAT_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Tower
from pilothouse.testbed.histories.wired import ARMS, TOWER, WiredStage
from pilothouse.testbed.histories.wired_judge import GRACE_S, WiredJudge
from pilothouse.testbed.histories.wired_words import Moving


async def manned(
    stage: HistoryStage, *, durable: bool = False, clients: tuple[str, ...] = (), has_tools: bool = False
) -> WiredStage:
    """One manager of arms and a lamp, perhaps one of what stands on an arm, and two or three clients."""
    lots = stage.lots
    wired = WiredStage(stage, lots.choice(list(Order)))
    if durable:
        wired.durable = {"robot"}
    await wired.enter("robot")
    stage.offer("robot", Asked, preempt_grace_s=GRACE_S)
    stage.offer("robot", Base)
    for each in ARMS:
        arm = stage.thing(each)
        arm.rest_s = lots.choice((0.0, 0.1, 0.3))
        arm.start_s = lots.choice((0.0, 0.0, 0.3))
        arm.stop_s = lots.choice((0.0, 0.0, 0.2))
    if has_tools or lots.random() < 0.5:
        await wired.enter("tools")
        stage.offer("tools", Tower, preempt_grace_s=GRACE_S)
        stage.thing(TOWER, (ARMS[0], {"exclusive": True})).rest_s = 0.0
    wired.clients = clients or ("a", "b", "c")[: lots.randint(2, 3)]
    for name in wired.clients:
        await wired.enter(name)
    if "tools" in stage.registrars and not clients and lots.random() < 0.5:
        wired.clients += ("tools",)
    for name in wired.clients:
        if not clients and lots.random() < 0.5:
            wired.watches(name)
    await stage.settle(0.2)
    return wired


async def goes_on(wired: WiredStage, for_s: float, *deeds: str) -> None:
    """Everybody does what they do for so long, and the network what it does."""
    stage, lots = wired.stage, wired.stage.lots
    until_s = stage.now_s + for_s
    while stage.now_s < until_s:
        match lots.choice(("asks", "asks", "changes", "leaves", "leaves", "happens", *deeds)):
            case "asks":
                wired.asks_something()
            case "leaves":
                wired.somebody_leaves()
            case "happens":
                wired.something_happens()
            case "changes":
                wired.changes_their_mind()
            case "weather":
                wired.weather()
            case "parts":
                wired.parts()
            case "joins":
                wired.joins()
            case "vanishes":
                here = [name for name in wired.clients if name not in wired.gone]
                if len(here) > 1:
                    wired.kill(lots.choice(here))
            case "closes":
                here = [name for name in wired.clients if name not in wired.gone]
                if len(here) > 1:
                    await wired.closes(lots.choice(here))
            case "manager dies" if "robot" not in wired.gone:
                wired.kill("robot")
            case "manager is back" if "robot" in wired.gone:
                await wired.enter("robot")
            case "comes back" if wired.gone & set(wired.clients):
                await wired.enter(lots.choice(sorted(wired.gone & set(wired.clients))))
            case _:
                pass
        for _ in range(lots.randint(1, 4)):
            wired.asks_again()
            wired.commands()
            await stage.settle(lots.choice((0.0, 0.02, 0.1)))


async def lossy(stage: HistoryStage) -> None:
    """The network loses, in one direction or both, and is late."""
    wired = await manned(stage)
    async with WiredJudge(wired) as judge:
        for _ in range(2):
            await goes_on(wired, 2.0, "weather", "weather")
            await judge.rest()
        await judge.works()


async def parted(stage: HistoryStage) -> None:
    """Machines are parted and joined again, for moments or for so long that they give each other up."""
    wired = await manned(stage)
    async with WiredJudge(wired) as judge:
        for _ in range(2):
            await goes_on(wired, 2.5, "parts", "joins", "weather")
            await judge.rest()
        await judge.works()


async def vanishing(stage: HistoryStage) -> None:
    """Machines vanish and come back, also while they are parted from whoever they have something of."""
    wired = await manned(stage)
    deeds = ("parts", "joins", "weather", "vanishes", "closes", "comes back", "comes back")
    async with WiredJudge(wired) as judge:
        for _ in range(2):
            await goes_on(wired, 2.5, *deeds)
            await judge.rest()
        await judge.works()


async def restarted(stage: HistoryStage) -> None:
    """The manager is killed and started again, with its catalog or without, whatever the network does."""
    wired = await manned(stage, durable=stage.lots.random() < 0.7)
    async with WiredJudge(wired) as judge:
        for _ in range(2):
            await goes_on(wired, 2.5, "weather", "parts", "joins", "manager dies", "manager is back")
            wired.joins()
            if "robot" in wired.gone:
                await wired.enter("robot")
            await stage.settle(RECONFIRMED_S if wired.durable else 0.0)
            await judge.rest()
        await judge.works()


async def spoken(stage: HistoryStage) -> None:
    """Hands and plans take things from each other, and words are lost on the way, or come late."""
    stage.interlock = Interlock(lambda device: ())
    wired = await manned(stage, clients=("people", "plans"), has_tools=True)
    wired.is_stubborn = True
    moving = Moving(wired, stage.interlock)
    async with WiredJudge(wired) as judge:
        for _ in range(2):
            for _ in range(stage.lots.randint(16, 30)):
                moving.something()
                for _ in range(stage.lots.randint(1, 4)):
                    wired.asks_again()
                    moving.look()
                    wired.commands()
                    await stage.settle(stage.lots.choice((0.0, 0.02, 0.1)))
            await judge.rest(asked=0)
            await moving.judge()


HISTORIES: Final = (
    History(lossy, BEAT_S, 4),
    History(parted, BEAT_S, 4),
    History(vanishing, BEAT_S, 4),
    History(restarted, BEAT_S, 4),
    History(spoken, BEAT_S, 4),
)
