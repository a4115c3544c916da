"""Header fields as HTTP/2 writes them (RFC 7541): literals, which may enter
the table of the connection, and indices into that."""

TABLE_BEGIN = 62  # indices below are of the static table
TABLE_BYTES = 4096
OVERHEAD = 32  # of an entry of the table
POST, HTTP = b"\x83", b"\x86"  # of the static table


def integer(value, bits, first=0):
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    encoded = bytearray([first | most])
    value -= most
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def text(value):
    return integer(len(value), 7) + value


def literal(name, value):
    """A field that does not enter the table."""
    return b"\x00" + text(name) + text(value)


def entering(name, value):
    """A field that enters the table, as its first entry."""
    return b"\x40" + text(name) + text(value)


def index(entry):
    """The field of an entry of the table; 0 is the newest."""
    return integer(TABLE_BEGIN + entry, 7, 0x80)


def request(path):
    """The fields of a call: once with all that enters the table, and then as
    indices, a byte each."""
    fields = [(b":path", path.encode()), (b":authority", b"localhost"),
              (b"te", b"trailers"), (b"content-type", b"application/grpc")]
    first = POST + HTTP + b"".join(
        entering(name, value) for name, value in fields)
    again = POST + HTTP + b"".join(
        index(entry) for entry in reversed(range(len(fields))))
    return first, again
