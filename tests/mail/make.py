#!/usr/bin/env python3
"""Makes the corpus: mails of one player in the shapes that real programs give them.

    python3 tests/mail/make.py

`form.toml` beside this is the form as the player was sent it. `orders-*` order the
walk of n-1 by 2 and are final; `none-*` order nothing; the others stand for a case of
their own. Every mail is written byte by byte, so that no library mends it.
"""

import base64
import pathlib
import quopri

HERE = pathlib.Path(__file__).parent
FORM = (HERE / "form.toml").read_text()
HEADER = FORM.split("\n\n")[0] + "\n"
FINAL = HEADER.replace("final = false", "final = true")
WALK = '[[walk]]\nunit = "n-1"\nby = 2\n'
ORDERS = FINAL + "\n" + WALK
FILLED = FORM.replace("final = false", "final = true") + "\n" + WALK
CALL = f"g  phase 1, window walk\nturn 1, walk\n\nhead\n  {HEADER.split(chr(34))[5]}\n\n{FORM}"
STAMP = "Sat, 9 Jan 2027 12:00:00 +0000"


def write(name, headers, body, when=STAMP, sender="Anna <anna@example.org>", subject=None,
          received=True):
    """One mail; `headers` are the program's own, `body` is bytes or ASCII text."""
    if isinstance(body, str):
        body = body.encode("ascii")
    head = []
    if received:
        head.append(f"Received: from out.example.org (out.example.org [192.0.2.7])\n"
                    f"\tby mx.club.example with ESMTPS id 4Z7; {when}")
    head += [f"From: {sender}", "To: The referee <referee@club.example>",
             f"Subject: {subject or 'Re: [g] phase 1: orders by Mon 2027-01-11 18:00 UTC'}",
             "Date: Sat, 9 Jan 2027 11:59:41 +0000", f"Message-ID: <{name}@example.org>",
             "MIME-Version: 1.0"] + headers
    text = ("\n".join(head) + "\n\n").encode("ascii") + body
    (HERE / f"{name}.eml").write_bytes(text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


def plain(charset="utf-8", encoding="7bit", extra=""):
    return [f"Content-Type: text/plain; charset={charset}{extra}",
            f"Content-Transfer-Encoding: {encoding}"]


def quote(text, mark="> "):
    return "".join((mark + line).rstrip() + "\n" for line in text.splitlines())


def qp(text, charset="utf-8"):
    return quopri.encodestring(text.encode(charset))


def b64(data):
    return base64.encodebytes(data if isinstance(data, bytes) else data.encode("utf-8"))


def part(kind, body, encoding="7bit", disposition=None):
    head = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}"]
    if disposition:
        head.append(f"Content-Disposition: {disposition}")
    body = body.encode("utf-8") if isinstance(body, str) else body
    return "\n".join(head).encode("ascii") + b"\n\n" + body


def multi(kind, boundary, parts):
    body = b"".join(b"--" + boundary.encode() + b"\n" + p + b"\n" for p in parts)
    return body + b"--" + boundary.encode() + b"--\n"


def mixed(boundary="b1", kind="mixed"):
    return [f'Content-Type: multipart/{kind}; boundary="{boundary}"']


def html(text):
    for a, b in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(a, b)
    return text


def attach(data, name="orders.toml", kind="application/toml", encoding="base64"):
    data = b64(data) if encoding == "base64" else data
    return part(f'{kind}; name="{name}"', data, encoding, f'attachment; filename="{name}"')


def wrapped(text, mark="> ", width=72):
    """Quoted as old programs do: lines too long are broken at a blank, the rest marked."""
    out = []
    for line in text.splitlines():
        while len(mark + line) > width and " " in line[:width]:
            cut = line.rfind(" ", 0, width - len(mark))
            if cut <= 0:
                cut = line.find(" ")
            if cut <= 0:
                break
            out.append(mark + line[:cut])
            line = line[cut + 1:]
        out.append((mark + line).rstrip())
    return "\n".join(out) + "\n"


# -- typed or pasted into the text ------------------------------------------------

write("orders-mutt-body", plain("us-ascii") + ["User-Agent: Mutt/2.2.9 (2022-11-12)"], ORDERS)
write("orders-mutt-inline-reply", plain("us-ascii") + ["User-Agent: Mutt/2.2.9 (2022-11-12)"],
      "On Mon, Jan 04, 2027 at 06:00:00PM +0000, The referee wrote:\n"
      + quote(CALL).replace("> final = false\n", "> final = true\n") + WALK
      + "\n-- \nAnna  |  tel = 555-0101\n")
write("orders-nested-quotes", plain(),
      "Forgot to send it to you, see below.\n\nOn Sat, Anna wrote:\n> On Mon, The referee wrote:\n"
      + quote(CALL.replace("final = false", "final = true"), "> > ") + quote(WALK)
      + "> \n> Anna\n")
write("orders-edited-within-the-quotes", plain(),
      "On Mon, The referee wrote:\n"
      + quote(CALL.replace("final = false", "final = true")
              .replace('# [[walk]]\n# unit = "n-1"\n# by = 1', '[[walk]]\nunit = "n-1"\nby = 2')))
write("orders-quoted-lines-broken", plain() + ["X-Mailer: WebMail 3"],
      "The referee wrote:\n" + wrapped(CALL.replace("final = false", "final = true"))
      + "\n" + WALK)
write("orders-top-posted-above-the-quoted-form", plain(),
      ORDERS + "\nRegards\nAnna\n\nOn Mon, 4 Jan 2027 at 18:00, The referee <referee@club.example>"
      "\nwrote:\n\n" + quote(CALL))
write("typed-above-the-quoted-form", plain(),
      "Hello Rita, here is mine.\n\n" + WALK + "\nRegards\nAnna\n\n"
      "On Mon, 4 Jan 2027 at 18:00, The referee <referee@club.example>\nwrote:\n\n" + quote(CALL))
write("orders-outlook-top-posted", plain("iso-8859-1", "quoted-printable")
      + ["X-Mailer: Microsoft Outlook 16.0", "Content-Language: en-gb"],
      qp("Here they are.\n\n" + ORDERS + "\nKind regards,\nAnna\n\n"
         "-----Original Message-----\nFrom: The referee <referee@club.example> \n"
         "Sent: 04 January 2027 18:00\nTo: Anna <anna@example.org>\n"
         "Subject: [g] phase 1: orders\n\n" + CALL, "iso-8859-1"))
write("orders-outlook-inside-the-original", plain("us-ascii")
      + ["X-Mailer: Microsoft Outlook 16.0"],
      "See below in the form.\n\n________________________________\n"
      "From: The referee <referee@club.example>\nSent: 04 January 2027 18:00\n"
      "To: Anna <anna@example.org>\nSubject: [g] phase 1: orders\n\n"
      + CALL.replace("final = false", "final = true") + WALK)
write("orders-flowed-thunderbird", plain("UTF-8", "7bit", "; format=flowed")
      + ["User-Agent: Mozilla Thunderbird"],
      "I hope this comes through well, it is a long sentence that goes on and \nends here.\n\n"
      "On 04/01/2027 18:00, The referee wrote:\n"
      + quote(CALL.replace("final = false", "final = true")) + WALK
      + "\n-- \nAnna\n")
write("orders-flowed-delsp-apple", plain("us-ascii", "7bit", "; format=flowed; delsp=yes")
      + ["X-Mailer: Apple Mail (2.3826)"],
      ORDERS.replace("[[walk]]", "# a remark of mine that goes on and on until the pro \ngram "
                     "breaks it\n[[walk]]"))
write("orders-k9-reply", plain("utf-8", "quoted-printable") + ["User-Agent: K-9 Mail for Android"],
      qp(ORDERS + "\n-------- Original Message --------\nFrom: The referee <referee@club.example>\n"
         "Sent: 4 January 2027 18:00:00 GMT\nTo: Anna <anna@example.org>\nSubject: [g] phase 1\n\n"
         + CALL))
write("orders-signature-and-disclaimer", plain(),
      "Dear referee,\n\nplease take these:\n\n" + ORDERS
      + "\nBest wishes\nAnna\n\n-- \nAnna Example, Head of Something\n[cid:logo.png]\n"
      "CONFIDENTIAL: if you are not the addressee, total liability = 0.\n")
write("orders-disclaimer-without-a-signature-line", plain(),
      ORDERS + "\nThis message and any attachment are confidential [see our terms].\n"
      "Please consider the environment before printing it.\n")
write("orders-quoted-printable-soft-breaks", plain("utf-8", "quoted-printable"),
      qp(ORDERS.replace("[[walk]]", "# " + "a long remark " * 12 + "\n[[walk]]")))
write("orders-base64-body", plain("utf-8", "base64"), b64(ORDERS))
write("orders-non-breaking-spaces", plain("utf-8", "base64"),
      b64(ORDERS.replace(" = ", "\u00a0=\u00a0").replace('by', "\u00a0\u00a0by")))
write("orders-smart-quotes", plain("windows-1252", "quoted-printable"),
      qp(ORDERS.replace('"n-1"', "\u201cn\u20131\u201d")
         .replace('player = "north"', "player = \u201enorth\u201d"), "windows-1252"))
write("orders-full-width", plain("utf-8", "base64"),
      b64(ORDERS.replace('unit = "n-1"', "\uff55\uff4e\uff49\uff54\u3000\uff1d\u3000"
                         "\uff02\uff4e\uff0d\uff11\uff02").replace("by = 2", "by \uff1d \uff12")))
write("orders-marks-in-the-middle", plain("utf-8", "base64"),
      b64("\ufeff" + ORDERS.replace("[[walk]]", "\ufeff[[walk]]").replace("by", "\u200bby")))
write("orders-latin-1-greeting", plain("iso-8859-1", "8bit"),
      "Gr\u00fc\u00dfe aus K\u00f6ln\n\n".encode("latin-1")
      + ORDERS.replace("[[walk]]", "# vor dem \u00dcberfall\n[[walk]]").encode("latin-1"))
write("orders-8bit-without-a-charset", ["Content-Type: text/plain"],
      ORDERS.replace("[[walk]]", "# caf\u00e9\n[[walk]]").encode("latin-1"))
write("orders-body-with-attribution-in-german", plain("utf-8", "8bit"),
      ("Am 04.01.27 um 18:00 schrieb Der Schiedsrichter:\n"
       + quote(CALL.replace("final = false", "final = true")) + WALK
       + "\nViele Gr\u00fc\u00dfe\nAnna\n").encode("utf-8"))
write("orders-no-mime", [], ORDERS)

# -- HTML -------------------------------------------------------------------------

GMAIL = ('<div dir="ltr"><div>' + "</div><div>".join(
    html(line) or "<br>" for line in ORDERS.splitlines()) + '</div></div><br>'
    '<div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, 4 Jan 2027 at 18:00, '
    'The referee &lt;<a href="mailto:referee@club.example">referee@club.example</a>&gt; wrote:'
    '<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">'
    + html(CALL).replace("\n", "<br>\n") + "</blockquote></div>")
write("orders-gmail-web", mixed("000000000000a1", "alternative"),
      multi("alternative", "000000000000a1", [
          part('text/plain; charset="UTF-8"', qp(ORDERS + "\nOn Mon, 4 Jan 2027 at 18:00, The "
               "referee <referee@club.example> wrote:\n\n" + wrapped(CALL)), "quoted-printable"),
          part('text/html; charset="UTF-8"', qp(GMAIL), "quoted-printable")]))
write("orders-gmail-web-html-only", ["Content-Type: text/html; charset=UTF-8",
      "Content-Transfer-Encoding: quoted-printable"], qp(GMAIL))
write("orders-outlook-web-html-only", ['Content-Type: text/html; charset="iso-8859-1"',
      "Content-Transfer-Encoding: quoted-printable"],
      qp("<html><head><meta http-equiv=3D\"x\"><style>P {margin-top:0;}</style></head>"
         "<body dir=\"ltr\"><div class=\"elementToProof\">"
         + "".join(f"<p class=\"MsoNormal\">{html(line) or '&nbsp;'}<o:p></o:p></p>\n"
                   for line in ORDERS.splitlines())
         + "</div><hr><div><b>From:</b> The referee &lt;referee@club.example&gt;<br><b>Sent:</b> "
         "04 January 2027 18:00<br><b>To:</b> Anna &lt;anna@example.org&gt;<br><b>Subject:</b> "
         "[g] phase 1</div><div>" + html(CALL).replace("\n", "<br>") + "</div></body></html>",
         "iso-8859-1"))
write("orders-webmail-html-pre", ["Content-Type: text/html; charset=utf-8"],
      "<html><body><p>Hello,</p><pre>" + html(ORDERS) + "</pre><p>Anna</p></body></html>")
write("orders-empty-text-beside-html", mixed("b1", "alternative"),
      multi("alternative", "b1", [part("text/plain; charset=utf-8", "\n"),
            part("text/html; charset=utf-8", "<div>" + html(ORDERS).replace("\n", "<br>")
                 + "</div>")]))
write("orders-html-edited-in-the-blockquote", ["Content-Type: text/html; charset=utf-8"],
      "<p>see inside</p><blockquote type=\"cite\">"
      + html(CALL.replace("final = false", "final = true")).replace("\n", "<br>")
      + html(WALK).replace("\n", "<br>") + "</blockquote>")

# -- attached ---------------------------------------------------------------------

HELLO = part("text/plain; charset=utf-8", "My orders are attached.\n\nAnna\n")
write("orders-attached", mixed(), multi("mixed", "b1", [HELLO, attach(FILLED)]))
write("orders-attached-with-the-form-quoted", mixed(), multi("mixed", "b1", [
    part("text/plain; charset=utf-8", "Attached.\n\nOn Mon, the referee wrote:\n" + quote(CALL)),
    attach(FILLED, "british.toml", "application/octet-stream")]))
write("orders-attached-inline-apple", mixed(), multi("mixed", "b1", [
    part("text/plain; charset=us-ascii", "Here.\n\n"),
    part('application/octet-stream; x-unix-mode=0644; name="north.toml"', qp(FILLED),
         "quoted-printable", "inline; filename=north.toml"),
    part("text/plain; charset=us-ascii", "\n\nSent from my phone\n")]))
write("orders-attached-crlf-and-mark", mixed(), multi("mixed", "b1", [
    HELLO, attach(("\ufeff" + FILLED).replace("\n", "\r\n").encode("utf-8"), "orders.txt",
                  "text/plain")]))
write("orders-attached-utf-16", mixed(), multi("mixed", "b1", [
    HELLO, attach(FILLED.encode("utf-16"), "orders.toml")]))
write("orders-attached-windows-1252", mixed(), multi("mixed", "b1", [
    HELLO, attach(FILLED.replace("[[walk]]\nunit = \"n-1\"\nby = 2",
                                 "# na\u00efve\n[[walk]]\nunit = \"n-1\"\nby = 2")
                  .encode("cp1252"))]))
write("orders-attached-name-encoded", mixed(), multi("mixed", "b1", [
    HELLO, part("application/toml; name=\"=?utf-8?Q?meine_Befehle_=C3=BC.toml?=\"", b64(FILLED),
                "base64", "attachment;\n filename*=utf-8''meine%20Befehle%20%C3%BC.toml")]))
write("orders-forwarded-as-attachment", mixed(), multi("mixed", "b1", [
    part("text/plain; charset=utf-8", "I sent this from the wrong account.\n"),
    part("message/rfc822", "From: anna@work.example\nTo: referee@club.example\nSubject: orders\n"
         "Content-Type: text/plain\n\n" + ORDERS)]))
write("orders-forwarded-inline", plain(),
      "\n---------- Forwarded message ---------\nFrom: Anna <anna@work.example>\n"
      "Date: Sat, 9 Jan 2027 at 11:00\nSubject: orders\nTo: <refere@club.example>\n\n" + ORDERS)
write("orders-ten-megabytes", mixed(), multi("mixed", "b1", [
    HELLO, attach(FILLED), part('image/jpeg; name="battle.jpg"', b"@MEGABYTES@", "base64",
                                'attachment; filename="battle.jpg"')]))

# -- more than one, or not what it should be --------------------------------------

south = ORDERS.replace("by = 2", "by = 1")
write("two-files-the-last-counts", mixed(), multi("mixed", "b1", [
    HELLO, attach(south, "first.toml"), attach(FILLED, "second.toml")]))
write("file-and-other-text", mixed(), multi("mixed", "b1", [
    part("text/plain; charset=utf-8", south), attach(FILLED)]))
write("remark-between-the-orders", plain(), FINAL + "\n" + WALK + "hold the fort please\n\n" + WALK)
write("ticket-cut-short", plain(), ORDERS.replace('0e"\n', '"\n'))
write("sent-from-elsewhere", plain(), ORDERS, sender="Somebody <x@elsewhere.example>")
write("form-attached-unchanged", mixed(), multi("mixed", "b1", [HELLO, attach(FORM)]))
write("form-in-the-text-unchanged", plain(), FORM)
write("telephone-capitals", plain(), ORDERS.replace("game =", "Game =")
      .replace("player =", "Player =").replace("ticket =", "Ticket ="))
write("smart-quotes-within-a-text", plain("utf-8", "8bit"),
      ORDERS.replace("[[walk]]", "# he said \u201cno\u201d\n[[walk]]").encode("utf-8"))
write("clock-of-the-sender-is-wrong", plain(), ORDERS)
path = HERE / "clock-of-the-sender-is-wrong.eml"
path.write_bytes(path.read_bytes().replace(b"Date: Sat, 9 Jan 2027", b"Date: Mon, 1 Jan 1990"))

# -- nothing to order -------------------------------------------------------------

write("none-form-quoted-unchanged", plain(),
      "Thank you, will look at it on Sunday.\n\nOn Mon, The referee wrote:\n" + wrapped(CALL))
write("none-outlook-quotes-unchanged", plain(),
      "Thank you!\n\n-----Original Message-----\nFrom: The referee <referee@club.example>\n"
      "Sent: 04 January 2027 18:00\nTo: Anna\nSubject: [g] phase 1\n\n" + CALL)
write("none-a-question", plain(), "May my scouts see through woods?\n\nAnna\n")
write("none-empty", plain(), "\n")
write("none-encrypted", ['Content-Type: multipart/encrypted; boundary="b1";\n'
      ' protocol="application/pgp-encrypted"'], multi("encrypted", "b1", [
          part("application/pgp-encrypted", "Version: 1\n"),
          part('application/octet-stream; name="encrypted.asc"',
               "-----BEGIN PGP MESSAGE-----\n\nhQEMA0000000000AQf/\n=abcd\n"
               "-----END PGP MESSAGE-----\n")]))
write("none-out-of-office", plain() + ["Auto-Submitted: auto-replied"],
      "I am away until Monday.\n\n" + quote(CALL.replace("final = false", "final = true")) + WALK,
      subject="Automatic reply: [g] phase 1")
write("none-bounce", ['Content-Type: multipart/report; report-type=delivery-status; boundary="b1"'],
      multi("report", "b1", [
          part("text/plain; charset=us-ascii", "Your message could not be delivered.\n"),
          part("message/delivery-status", "Reporting-MTA: dns; mx.example.org\n\n"
               "Final-Recipient: rfc822; anna@example.org\nAction: failed\nStatus: 5.1.1\n"),
          part("message/rfc822", "From: referee@club.example\nTo: anna@example.org\n"
               "Subject: [g] phase 1\n\n" + CALL.replace("final = false", "final = true") + WALK)]),
      sender="Mail Delivery System <MAILER-DAEMON@mx.example.org>",
      subject="Undelivered Mail Returned to Sender")
write("none-advertisement", ["Content-Type: text/html; charset=utf-8"],
      "<p>Buy now! price = &quot;9.99&quot;</p>", sender="Shop <shop@spam.example>",
      subject="Only today")

print(len(list(HERE.glob("*.eml"))), "mails")
