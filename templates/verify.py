#!/usr/bin/env python3
"""Checks the dice and the record of a game of despatch, without despatch:  python3 verify.py DIR [HEAD]
DIR is a bundle, or a referee's folder; HEAD the 64 digits in YOUR OWN mail: without it the last record proves nothing.
Exit status: 0 passed, 1 failed, 2 wrong usage. Needs Python 3.8 or later, nothing else, and no network.
Written from docs/dice.md, whose sections the comments cite, and not from the program's source."""
import calendar, hashlib, itertools, json, pathlib, re, struct, sys, time, types
# Section 5: the lines of each record in order. `key#` is a number, `key@` a time, `key*` as many lines as the number
# before it says; the rest are words with one space between them, most of them hashes that are compared below.
RECORDS = {tag: fields for tag, *fields in map(str.split, """
offer game scenario engine rules state first secrecy mode referee entropy wait# grid# length# tip hidden continues made@
  players# player*; rolls game phase# rolls# roll*; seals game phase# seals# seal* opens# open*;
genesis game offer joins# join* beacon entropy; close game prev made@ phases# amendments# seals secret result;
call game phase# prev follows window asks made@ deadline@ beacon;
lock game phase# call locked@ early beacon players# orders*;
turn game phase# prev engine rules state_before lock ref beacon seed rolls seals events report state_after next;
amend game number# prev made@ kind phase# consent engine rules state_before rolls seals events report state_after
  next note""".split(";"))}
WORDS, HEX, LABEL = "(?!.{4097})[!-~]+(?: [!-~]+)*", "[0-9a-f]{64}", "[a-z0-9._/-]{1,120}"  # sections 2, 3
KINDS = {"#": "0|[1-9][0-9]*", "@": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", "*": WORDS, "": WORDS}
ID = "[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?"
PLAYER = f"(?!(?:referee|public|all|none|nmr|idle|close|superseded|late|con|prn|aux|nul|com[0-9]|lpt[0-9])(?![^ ])){ID}"
FIRST_ROUND = 1692803367  # Unix time of round 1 of the beacon; one more every 3 seconds
class Failed(Exception): "The check, the file, and what is wrong."
def need(check, file, **facts):  # each fact has a name, which is read out when it is not so
    for words in [words for words, true in facts.items() if not true]:
        raise Failed(check, file, "it is not so that " + words.replace("_", " "))
def same(check, record, **wanted):  # these lines of the record must say just this
    for key, value in wanted.items():
        need(check, record.path, **{f"{key} is {value} (but {getattr(record, key)})": getattr(record, key) == value})
def sha256(text): return hashlib.sha256(text.encode()).hexdigest()
def H(tag, **pairs):  # section 2: the hash of a tag and its `key=value` lines, in the order given
    return sha256(f"pbem-dice/1 {tag}\n" + "".join(f"{key}={value}\n" for key, value in pairs.items()))
def seconds(text): return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))  # Unix time
def words(key):  # section 3: ChaCha20, 20 rounds, nonce 0, as a stream of 32-bit words
    start, M = struct.unpack("<12I", b"expand 32-byte k" + bytes.fromhex(key)), 0xFFFFFFFF
    for block in itertools.count():
        x = [*start, block & M, block >> 32, 0, 0]
        for a, b, c, d in 10 * ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                                (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            for i, j, k, left in (a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7):
                x[i] = (x[i] + x[j]) & M
                x[k] = ((x[k] ^ x[i]) << left | (x[k] ^ x[i]) >> (32 - left)) & M
        yield from ((old + new) & M for old, new in zip((*start, block & M, block >> 32, 0, 0), x))
def below(stream, n): return next(word for word in stream if word < 2**32 // n * n) % n  # section 3: fair, 0 to n-1
def throw(key, spec):  # section 3: the faces as a record writes them; None if there is no such spec
    stream, dice = words(key), re.fullmatch("([1-9][0-9]{0,3})d([1-9][0-9]{0,9})", spec)
    if dice and 2 <= int(dice[2]) < 2**32:
        return ",".join(str(below(stream, int(dice[2])) + 1) for _ in range(int(dice[1])))
    a = list(range(1, int(spec[7:]) + 1)) if re.fullmatch("shuffle[1-9][0-9]{0,3}", spec) else []
    for i in range(len(a) - 1, 0, -1):
        j = below(stream, i + 1)
        a[i], a[j] = a[j], a[i]
    return ",".join(map(str, a)) if len(a) > 1 else None
class Game:  # a folder, and how far its ledger has been checked
    def __init__(self, folder):
        self.files = {x.relative_to(folder).as_posix(): x for x in pathlib.Path(folder).rglob("*") if x.is_file()}
        self.phases, self.amendments, self.orders, self.rolls, self.later, self.notes = 0, 0, 0, 0, [], []
        self.heads, self.seeds, self.labels, self.sealed, self.sent, self.opens = {}, {}, {}, {}, {}, {}
    def text(self, path):  # checks `missing` and `text`; section 2: the normal form
        self.reading = path
        need("missing", path, this_file_is_here=path in self.files)
        text = self.files[path].read_bytes().decode("utf-8", "surrogateescape")
        need("text", path, this_is_text_in_UTF_8=not re.search("[\0\udc80-\udcff]", text))
        text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        return re.sub("(?m)(?<![ \t])[ \t]+$", "", text).rstrip("\n") + "\n"
    def record(self, path, tag):  # check `format`; section 2: a record has exactly its lines
        record, (first, *lines) = types.SimpleNamespace(path=path, tag=tag), self.text(path).split("\n")[:-1]
        for key, kind in re.findall("([a-z_]+)([#@*]?)", " ".join(RECORDS[tag])):
            many = count if kind == "*" else 1
            found = [re.fullmatch(f"{key}=({KINDS[kind]})", line) for line in lines[:many]]
            need("format", path, **{f"its lines {key}= are right": len(found) == many and all(found)})
            values, lines = [match[1] for match in found], lines[many:]
            count = int(values[0]) if kind == "#" else kind == "@" and seconds(values[0])
            setattr(record, key, values if kind == "*" else count if kind == "#" else values[0])
        need("format", path, it_is_such_a_record_and_no_line_is_left=first == f"pbem-dice/1 {tag}" and not lines)
        record.hash = sha256(self.text(path))
        return record
    def named(self, check, path, wanted, withheld=False):  # F(file) must be the hash that a record names
        if withheld and path not in self.files: return self.later.append(path)  # section 4: published later
        need(check, path, **{f"this is the file with the recorded hash {wanted}": sha256(self.text(path)) == wanted})
        return self.text(path)
    def page(self, check, path, name):  # section 2: a value of the beacon; its BLS signature is not checked
        page = json.loads(self.text(path))
        signed = hashlib.sha256(bytes.fromhex(page["signature"])).hexdigest()
        need(check, path, **{f"this is {name}": page["round"] > 0 and f"quicknet:{page['round']:d}" == name},
             randomness_is_the_hash_of_the_signature=(page["randomness"], len(page["signature"])) == (signed, 96))
        self.notes += ["notice: BLS signatures are not checked here: compare the values with the beacon's own page"]
        return f"{name}:{signed}"
    def check_offer(self):  # section 5.1
        o = self.offer = self.record("offer.txt", "offer")
        self.beacon, self.hiding = o.mode == "beacon", o.secrecy == "sealed" and "close.txt" not in self.files
        need("offer", o.path, the_players_are_sorted=o.player and o.player == sorted(set(o.player)),
             ids_are_lawful=re.fullmatch(f"{ID} {ID}(?: {PLAYER})+", " ".join([o.game, o.first, *o.player])),
             grid_divides_a_day_and_the_chain_has_a_length=o.grid and 86400 % o.grid == 0 and o.length,
             mode_and_secrecy_are_known=o.mode in ("chain", "beacon") and o.secrecy in ("open", "sealed"),
             the_referee_may_play=o.referee in ["none"] + o.player * (self.beacon and o.secrecy == "open"),
             the_entropy_was_still_to_come=o.entropy == "nonces" or
             FIRST_ROUND + 3 * int(o.entropy[9:]) - 3 >= max(FIRST_ROUND, seconds(o.made) + o.wait))
        self.named("offer", "state-000.toml", o.state, self.hiding)
        self.rules, self.state, self.next, self.ref = o.rules, o.state, o.first, o.tip
    def check_genesis(self):  # section 5.2
        g, o = self.record("genesis.txt", "genesis"), self.offer
        nonces = [(player, line[-64:]) for player, line in zip(o.player, g.join)]
        same("genesis", g, game=o.game, offer=o.hash, joins=len(o.player) if o.entropy == "nonces" else 0, join=[
            f"{player} {H('join', game=o.game, player=player, nonce=nonce)} {nonce}" for player, nonce in nonces])
        source = ",".join(map(":".join, nonces)) or self.page("genesis", "genesis-beacon.json", o.entropy)
        self.entropy = H("entropy", game=o.game, count=len(nonces) or 1, list=source)
        same("genesis", g, beacon="none" if nonces else source, entropy=self.entropy)
        self.head, self.heads[g.hash] = g.hash, g.path
    def check_rules(self, path="rules.sha256", wanted=None):  # section 5.1: the list, then each file
        lines = [line.split("  ", 1) for line in self.named("rules", path, wanted or self.rules).splitlines()]
        names = [re.fullmatch(f"(?:amend-[0-9]+/)?(rules/.+)", file)[1] for _, file in lines]
        need("rules", path, sorted=lines == sorted(lines, key=lambda x: x[1]), no_twins=len(names) == len({*names}))
        for wanted, file in lines: self.named("rules", file, wanted)
    def check_ledger(self):  # section 6: always the record whose prev is the present head, an amendment first
        checks, last = {"amend": self.check_amend, "turn": self.check_phase, "close": self.check_close}, None
        while last != "close":
            a, p = f"amend-{self.amendments + 1:03}/amend.txt", f"phase-{self.phases + 1:03}/"
            there = [self.record(x, tag) for x, tag in zip((a, p + "turn.txt", "close.txt"), checks) if x in self.files]
            if not there: break
            record = next((record for record in there if record.prev == self.head), there[0])
            same("ledger", record, prev=self.head, game=self.offer.game)
            checks[record.tag](record)
            last, self.head, self.heads[record.hash] = record.tag, record.hash, record.path
        if last != "close" and p + "call.txt" in self.files: self.check_locked(p, self.phases + 1, None)
        most = {"phase": self.phases + (last != "close"), "amend": self.amendments}
        for kind, number in re.findall("(?m)^(phase|amend)-([0-9]{3,})/", "\n".join(sorted(self.files))):
            need("ledger", f"{kind}-{number}", this_folder_follows_a_record=int(number) <= most[kind])
    def check_phase(self, t):  # section 5.8
        p, o, folder = self.phases + 1, self.offer, f"phase-{self.phases + 1:03}/"
        same("ledger", t, phase=p, state_before=self.state, rules=self.rules)
        need("chain", t.path, ref_fits=p <= o.length and H("chain", game=o.game, index=p - 1, next=t.ref) == self.ref)
        self.check_locked(folder, p, t)
        self.phases, self.ref, self.labels[p] = p, t.ref, set()
        self.seeds[p] = H("seed", game=o.game, phase=p, ref=t.ref, entropy=self.entropy, links="none", beacon=t.beacon)
        same("seed", t, seed=self.seeds[p])
        self.check_outcome(folder, t, "rolls", "seals", "files")
    def check_locked(self, folder, p, turn):  # sections 5.3, 5.5; turn: None while the phase is not resolved
        calls, lock, here = [self.record(folder + "call.txt", "call")], None, {"game": self.offer.game, "phase": p}
        while (path := f"{folder}call-{len(calls) + 1}.txt") in self.files: calls.append(self.record(path, "call"))
        last, asks = calls[-1], calls[-1].asks.split(",")
        if turn or folder + "lock.txt" in self.files:
            lock = self.record(folder + "lock.txt", "lock")
            same("lock", lock, **here, hash=turn.lock if turn else lock.hash, call=last.hash,
                 early="yes" if lock.locked < last.deadline else "no")
            need("lock", lock.path, each_player_has_a_line=[x.split()[0] for x in lock.orders] == self.offer.player,
                 early_is_for_complete_orders=lock.early == "no" or not {x + " nmr" for x in asks} & {*lock.orders})
        for call, before in zip(calls, [None, *calls]):
            same("call", call, **here, prev=self.head, asks=last.asks, follows=before.hash if before else "none",
                 window=self.next if self.next != "end" else "nothing after the end")
            need("call", call.path, it_asks_players_in_order=asks in (["none"], sorted({*asks} & {*self.offer.player})),
                 an_extension_is_in_time_and_later=not before or call.made < before.deadline < call.deadline)
        self.check_beacon(folder, calls, lock, turn)
        if lock: self.check_orders(folder, last, asks, lock, turn)
    def check_beacon(self, folder, calls, lock, turn):  # section 2: the round follows from deadline or early lock
        wait, grid, closings = self.offer.wait, self.offer.grid, [(call, call.deadline) for call in calls]
        for record, closing in closings + ([(lock, min(lock.locked, calls[-1].deadline))] if lock else []):
            due = -(-(seconds(closing) + wait) // grid) * grid
            number = -(-(due - FIRST_ROUND) // 3) + 1
            same("beacon", record, beacon=f"quicknet:{number}" if self.beacon else "none")
        if lock and self.beacon and seconds(lock.locked) >= due: self.notes += [f"notice: {lock.path} is late"]
        if turn and self.beacon: same("beacon", turn, beacon=self.page("beacon", folder + "beacon.json", lock.beacon))
        elif turn: same("beacon", turn, beacon="none")
    def check_orders(self, folder, call, asks, lock, turn):  # sections 5.4, 5.5
        for player, fate, *received in map(str.split, lock.orders):
            path, asked, early = f"{folder}orders/{player}.toml", player in asks, lock.early == "yes"
            if fate in ("nmr", "idle"):
                need("orders", path, lock_knows_it=path not in self.files, nmr_was_asked=(fate == "nmr") == asked)
                continue
            text, self.orders = self.named("orders", path, fate, self.hiding or not turn), self.orders + 1
            self.notes += [f"notice: {path}: came after the deadline"] * (seconds(*received) > seconds(call.deadline))
            wanted = {"game": f'"{call.game}"', "phase": str(call.phase), "player": f'"{player}"', "ticket": f'"{HEX}"',
                      "head": f'"{call.prev}"', "final": "true" if asked and early else "|true|false"}
            for key, value in wanted.items() if text else ():
                top = re.split(r"""(?m)^\s*\[|^(?!\s*#).*("{3}|'{3})""", text)[0].replace("'", '"')
                found = re.findall(rf"(?m)^[ \t]*{key}[ \t]*=[ \t]*(.*?)[ \t]*(?:#.*)?$", top) or [""]
                need("orders", path, **{f"{key} is once {value}": len(found) == 1 and re.fullmatch(value, found[0])})
    def check_outcome(self, folder, record, rolls, seals, files):  # of a phase or a correction; names of the checks
        p, path = self.phases, folder + "rolls.txt"
        r = self.record(path, "rolls")
        same(rolls, r, hash=record.rolls, game=self.offer.game, phase=p)
        need(rolls, path, labels_are_ok=len({x.split()[0] for x in r.roll if re.match(LABEL + " ", x)}) == len(r.roll))
        for label, spec, faces in map(str.split, r.roll):
            right = throw(H("roll", seed=self.seeds[p], label=label), spec)
            need(rolls, path, **{f"{label} {spec} gives {faces} (but {right})": faces == right})
            self.labels[p].add(label)
        self.check_seals(seals, folder + "seals.txt", record.seals, p)
        self.named(files, folder + "events.jsonl", record.events, self.hiding)
        self.named(files, folder + "report/public.txt", record.report)
        self.named(files, folder + "state-after.toml", record.state_after, self.hiding)
        self.state, self.next, self.rolls = record.state_after, record.next, self.rolls + len(r.roll)
    def check_seals(self, check, path, wanted, phase):  # section 5.7; of a phase, a correction or the close (phase 0)
        need(check, path, only_a_sealed_game_has_seals=wanted == "none" or self.offer.secrecy == "sealed")
        if wanted == "none" and (not phase or self.offer.secrecy == "open"): return
        s, game = self.record(path, "seals"), self.offer.game
        same(check, s, hash=wanted, game=game, phase=phase)
        for kind, *owner, seal in map(str.split, s.seal):
            need(check, path, it_is_new=phase and seal not in self.sealed and kind == ("roll", "note")[len(owner)])
            sent = f"phase-{phase:03}/orders/{''.join(owner)}.toml"
            text = self.text(sent) if owner and sent in self.files else seal * (not owner or self.hiding)
            self.sealed[seal], self.sent[seal] = (kind, phase, *owner), text
        for kind, seal, *rest in map(str.split, s.open):
            what, p, *owner = self.sealed.get(seal, (None, 0))
            need(check, path, it_was_sealed=kind == what and seal not in self.opens and len(rest) == 4 - 2 * len(owner))
            self.opens[seal], sent, note = rest, self.sent[seal], f"notes/{seal}.txt"
            if owner: self.named(check, note, rest[1])
            need(check, path, its_owner_sent_it=seal in sent or rest[0] in sent and self.text(note).strip() in sent)
            made = H("hide", game=game, phase=p, owner=owner[0], salt=rest[0], text=rest[1]) if owner else (
                H("seal", game=game, phase=p, key=rest[0], label=rest[1], spec=rest[2]))
            need(check, path, **{f"{rest} was sealed": made == seal and (owner or throw(rest[0], rest[2]) == rest[3])})
    def check_amend(self, a):  # section 5.9
        n, again, folder = self.amendments + 1, a.kind == "correct", f"amend-{self.amendments + 1:03}/"
        same("ledger", a, number=n, phase=self.phases, state_before=self.state)
        self.named("amend", folder + "note.txt", a.note)
        need("amend", a.path, its_kind_may_change_the_rules=a.kind in ("ruling", "correct") or a.rules == self.rules,
             its_kind_may_change_the_state=a.kind in ("state", "correct") or a.state_after == self.state,
             rolls_are_for_corrections=self.phases if again else {a.rolls, a.seals, a.events, a.report} == {"none"})
        if a.kind == "ruling" or a.rules != self.rules: self.check_rules(folder + "rules.sha256", a.rules)
        if again: self.check_outcome(folder, a, "amend", "amend", "amend")
        elif a.state_after != self.state: self.named("amend", folder + "state-after.toml", a.state_after, self.hiding)
        self.amendments, self.rules, self.state, self.next = n, a.rules, a.state_after, a.next
        self.notes.append(f"notice: amendment {n}: {a.kind}, consent of {a.consent} ({folder}note.txt)")
    def check_close(self, c):  # section 5.10
        same("close", c, phases=self.phases, amendments=self.amendments)
        need("close", c.path, secret_is_the_one_fixed=H("hidden", game=c.game, secret=c.secret) == self.offer.hidden)
        self.check_seals("seals", "close-seals.txt", c.seals, 0)
        need("close", c.path, every_seal_was_opened=self.opens.keys() == self.sealed.keys())
        for (kind, p, *_), (key, label, *_) in ((self.sealed[seal], opened) for seal, opened in self.opens.items()):
            if kind == "roll":
                right = H("hidden-roll", secret=c.secret, seed=self.seeds[p], label=label)
                need("close", c.path, **{f"{label} is once, by its key": key == right and label not in self.labels[p]})
                self.labels[p].add(label)
def main(folder, *heads):
    game = Game(folder)
    try:
        for check in game.check_offer, game.check_genesis, game.check_rules, game.check_ledger: check()
        need("head", "HEAD", the_head_you_gave_is_that_of_a_record_here={*heads} <= {*game.heads})
    except Exception as error:  # whatever breaks a reader of files is a file that cannot be read
        failed = error.args if isinstance(error, Failed) else ("format", game.reading, f"it cannot be read ({error})")
        return print(ascii("FAILED %s: %s: %s" % failed)[1:-1] + "\nDO NOT TRUST THIS BUNDLE") or 1
    print(f"{game.phases} phases, {game.orders} order files named, {game.rolls} rolls, {game.amendments} amendments, "
          f"{len(game.sealed)} seals made, {len(game.opens)} opened, {len(game.later)} files not published yet",
          *dict.fromkeys(game.notes), *[f"your head is that of {game.heads[head]}" + (head != game.head) *
          ": what follows it proves nothing" for head in heads] or ["No head was given, so the last record proves "
          "nothing: it could have been rewritten."], "ALL CHECKS PASSED", "The dice follow from values fixed before "
          "the orders were locked. This does not prove that the referee kept secrets, read the rules correctly, or "
          "delivered every mail.", *["The referee could know these dice in advance."] * (not game.beacon), sep="\n")
if __name__ == "__main__":
    usable = sys.argv[1:] and pathlib.Path(sys.argv[1]).is_dir() and re.fullmatch(f"(?:{HEX})?", "/".join(sys.argv[2:]))
    sys.exit(main(*sys.argv[1:]) if usable else print(__doc__, file=sys.stderr) or 2)
