#!/usr/bin/env python3
"""Measures whole processes of a release build and writes docs/speed.md.

    cargo build --release --bin despatch --example campaign && python3 benches/measure.py

Each command runs several times; the table shows the median of the processor time
(user + system) and the largest resident size. Wall time says more about the other
programs of a machine than about this one, so it is not shown.
"""
import os, sys


def starter(questions, answers):
    """Starts programs and says what they took, as a process of its own that is smaller
    than any of them: the size of whoever starts a program counts as the program's."""
    for line in os.fdopen(questions):
        cwd, *args = line.rstrip("\n").split("\t")
        os.chdir(cwd)
        nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        # Not by fork: a copy of this interpreter would be counted with the program.
        pid = os.posix_spawn(args[0], args, os.environ, file_actions=nothing)
        _, status, usage = os.wait4(pid, 0)
        facts = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss
        os.write(answers, ("%d %f %d\n" % facts).encode())


(ASKED, ASK), (ANSWER, ANSWERED) = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(ASK)
    starter(ASKED, ANSWERED)
    os._exit(0)
ANSWERS = os.fdopen(ANSWER)

import shutil, statistics, subprocess, tempfile  # only now: they make this process bigger

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "target")), "release")
PROGRAM = os.path.join(RELEASE, "despatch")
CAMPAIGN = os.path.join(RELEASE, "examples", "campaign")
RUNS = 15


def run(args, cwd):
    os.write(ASK, ("\t".join([cwd, PROGRAM, *args]) + "\n").encode())
    code, seconds, size = ANSWERS.readline().split()
    if code != "0":
        sys.exit(f"{' '.join(args)} failed in {cwd}")
    return float(seconds) * 1000, int(size) / 1024


def measure(args, cwd):
    """In one folder, or each run in the next of several."""
    times, sizes = [], []
    for n in range(RUNS):
        ms, mib = run(args, cwd if isinstance(cwd, str) else cwd[n])
        times.append(ms)
        sizes.append(mib)
    return statistics.median(times), max(sizes)


class Game:
    """A whole game, and its busiest phase: copies from before it was resolved."""

    def __init__(self, work, name, folder):
        self.folder = folder
        phases = sorted(d for d in os.listdir(folder) if d.startswith("phase-"))
        self.phases = len(phases)
        self.busiest = max(phases, key=lambda p: os.path.getsize(os.path.join(folder, p, "events.jsonl")))
        # All of them at once, and none is removed before the end: a disk that has just
        # lost many files is slow to make new ones.
        self.parts = [os.path.join(work, f"{name}-part-{n}") for n in range(RUNS)]
        for part in self.parts:
            shutil.copytree(folder, part, ignore=self.later)
        self.part = self.parts[0]
        orders = os.path.join(self.part, self.busiest, "orders")
        self.orders = [os.path.join(orders, name) for name in sorted(os.listdir(orders))]
        self.longest = max(self.orders, key=os.path.getsize)
        self.view = os.path.join(self.part, self.busiest, "views", os.path.basename(self.longest))
        self.bundle = os.path.join(work, f"{name}-bundle")
        run(["-C", folder, "bundle", "--for", "public", self.bundle], work)

    def later(self, folder, names):
        """What a folder of the game does not hold yet before the busiest phase is resolved."""
        if os.path.basename(folder) == self.busiest:
            made = {"turn.txt", "rolls.txt", "events.jsonl", "state-after.toml", "report"}
            return made & set(names)
        if folder != self.folder:
            return []
        gone = [n for n in names if n.startswith("close") or (n.startswith("phase-") and n > self.busiest)]
        for name in names:
            if name.startswith("amend-"):
                with open(os.path.join(folder, name, "amend.txt")) as f:
                    if int([l for l in f if l.startswith("phase=")][0][6:]) >= int(self.busiest[6:]):
                        gone.append(name)
        return gone


def main():
    for needed in (PROGRAM, CAMPAIGN):
        if not os.path.exists(needed):
            sys.exit("build them first: cargo build --release --bin despatch --example campaign")
    with tempfile.TemporaryDirectory() as work:
        run(["demo", "--dir", "demo", "--now", "2027-01-01T00:00:00Z"], work)
        demo = Game(work, "demo", os.path.join(work, "demo", "game"))
        subprocess.run([CAMPAIGN, os.path.join(work, "campaign")], check=True, stdout=subprocess.DEVNULL)
        campaign = Game(work, "campaign", os.path.join(work, "campaign"))
        rows = []
        for game, name, many in ((demo, "the demo", False), (campaign, "the campaign", True)):
            part = game.part
            rows += [
                (f"`adjudicate`, the busiest phase of {name} ({game.busiest})", ["adjudicate"], game.parts, "20 ms, 16 MiB"),
                ("`check` of an order file of that phase", ["check", game.longest, "--view", game.view], part, "15 ms"),
                (f"`verify --replay` of {name} ({game.phases} phases)", ["verify", game.bundle, "--replay"], work, "400 ms" if many else ""),
            ]
        rows += [
            ("`verify` of the demo", ["verify", demo.bundle], work, ""),
            ("`ask reach` of a unit", ["ask", "reach", "mulazmin-01", "--view", demo.view], demo.part, ""),
            ("`odds chart`: one attack", ["odds", "chart", "--factors", "16", "--scenario", "khartoum"], work, "5 ms"),
            ("`odds` of the demo's phase, 10,000 resolutions", ["odds", "--view", demo.view, "--orders", *demo.orders], demo.part, "2,000 ms"),
            ("`games`", ["games"], work, ""),
        ]
        out = [
            "# Speed",
            "",
            "Whole processes of a release build, on a small machine with two cores: the median",
            f"of {RUNS} runs of processor time (user + system), and the largest resident size.",
            "Written by `benches/measure.py`; `cargo bench` measures the parts alone. The demo is",
            "the Fall of Khartoum in 15 phases; the campaign is 22 turns by `benches/campaign.rs`.",
            f"Load average meanwhile {os.getloadavg()[1]:.0f}: above 1, everything looks slower than it is.",
            "",
            "| what | processor time | memory | target |",
            "|---|---|---|---|",
        ]
        os.sync()  # what the copies left to write is not the program's
        for what, args, cwd, target in rows:
            ms, mib = measure(args, cwd)
            out.append(f"| {what} | {ms:.1f} ms | {mib:.1f} MiB | {target} |")
        with open(os.path.join(HERE, "docs", "speed.md"), "w") as f:
            f.write("\n".join(out) + "\n")
        print("\n".join(out))


main()
