#!/usr/bin/env python3
"""Measures whole processes of a release build and writes docs/speed.md.

    cargo build --release && python3 benches/measure.py

Each command runs several times; the table shows the median of the processor time
(user + system) and the largest resident size. Wall time says more about the other
programs of a machine than about this one, so it is not shown.
"""
import os, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(HERE, "target", "release", "despatch")
RUNS = 15


def run(args, cwd):
    pid = os.fork()
    if pid == 0:
        os.chdir(cwd)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execv(PROGRAM, [PROGRAM, *args])
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(args)} failed in {cwd}")
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024


def measure(args, cwd, before=None):
    times, sizes = [], []
    for _ in range(RUNS):
        if before:
            before()
        ms, mib = run(args, cwd)
        times.append(ms)
        sizes.append(mib)
    return statistics.median(times), max(sizes)


def main():
    if not os.path.exists(PROGRAM):
        sys.exit("build it first: cargo build --release")
    with tempfile.TemporaryDirectory() as work:
        run(["demo", "--dir", "demo", "--now", "2027-01-01T00:00:00Z"], work)
        demo = os.path.join(work, "demo", "game")
        phases = sorted(d for d in os.listdir(demo) if d.startswith("phase-"))
        events = lambda p: os.path.getsize(os.path.join(demo, p, "events.jsonl"))
        busiest = max(phases, key=events)
        part = os.path.join(work, "part")

        def rewind():
            subprocess.run(["rm", "-rf", part], check=True)
            subprocess.run(["cp", "-r", demo, part], check=True)
            for name in os.listdir(part):
                if name.startswith("close") or (name.startswith("phase-") and name > busiest):
                    subprocess.run(["rm", "-rf", os.path.join(part, name)], check=True)
            folder = os.path.join(part, busiest)
            for name in ("turn.txt", "rolls.txt", "events.jsonl", "state-after.toml", "report"):
                subprocess.run(["rm", "-rf", os.path.join(folder, name)], check=True)
            amend = [d for d in os.listdir(part) if d.startswith("amend-")]
            for name in amend:
                with open(os.path.join(part, name, "amend.txt")) as f:
                    if int([l for l in f if l.startswith("phase=")][0][6:]) >= int(busiest[6:]):
                        subprocess.run(["rm", "-rf", os.path.join(part, name)], check=True)

        rewind()
        orders = os.path.join(part, busiest, "orders")
        some = os.path.join(orders, sorted(os.listdir(orders))[-1])
        view = os.path.join(part, busiest, "views", os.path.basename(some))
        every = [os.path.join(orders, name) for name in sorted(os.listdir(orders))]
        rows = [
            (f"`adjudicate`, the busiest phase of the demo ({busiest})", ["adjudicate"], part, rewind, "20 ms, 16 MiB"),
            ("`check` of an order file of that phase", ["check", some, "--view", view], part, None, "15 ms"),
            (f"`verify --replay` of the demo ({len(phases)} phases)", ["verify", os.path.join(work, "demo", "bundle"), "--replay"], work, None, "400 ms for 22 turns"),
            ("`verify` of the demo", ["verify", os.path.join(work, "demo", "bundle")], work, None, ""),
            ("`ask reach` of a unit", ["ask", "reach", "mulazmin-01", "--view", view], part, None, ""),
            ("`odds chart`: one attack", ["odds", "chart", "--factors", "16", "--scenario", "khartoum"], work, None, "5 ms"),
            ("`odds` of that phase, 10,000 resolutions", ["odds", "--view", view, "--orders", *every], part, None, "2,000 ms"),
            ("`games`", ["games"], work, None, ""),
        ]
        out = [
            "# Speed",
            "",
            "Whole processes of a release build, on a small machine with two cores: the median",
            f"of {RUNS} runs of processor time (user + system), and the largest resident size.",
            "Written by `benches/measure.py`; `cargo bench` measures the parts alone.",
            "",
            "| what | processor time | memory | target |",
            "|---|---|---|---|",
        ]
        for what, args, cwd, before, target in rows:
            ms, mib = measure(args, cwd, before)
            out.append(f"| {what} | {ms:.1f} ms | {mib:.1f} MiB | {target} |")
        with open(os.path.join(HERE, "docs", "speed.md"), "w") as f:
            f.write("\n".join(out) + "\n")
        print("\n".join(out))


main()
