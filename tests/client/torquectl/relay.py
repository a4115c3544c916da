"""What stands between torquectl and a server and passes bytes on."""

import contextlib
import socket
import threading


class Relay:
    """Passes connections on to the server of the moment."""

    def __init__(self, server):
        self.server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = []
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def goes_on(self, passed):
        """Called after each part of the answers of a connection, with the bytes
        passed so far; whether the connection goes on."""
        del passed
        return True

    def _accept(self):
        with contextlib.suppress(OSError):  # the test has ended
            while True:
                client, _ = self._listener.accept()
                host, port = self.server.rsplit(":", 1)
                upstream = socket.create_connection((host, int(port)))
                self._open += [client, upstream]
                for work in (self._pass, self._answer):
                    threading.Thread(
                        target=work, args=(client, upstream),
                        daemon=True).start()

    @staticmethod
    def _pass(client, upstream):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                # What a server no longer takes is still read, or the kernel
                # would drop replies that the client has not read yet.
                with contextlib.suppress(OSError):
                    upstream.sendall(data)
            upstream.shutdown(socket.SHUT_WR)

    def _answer(self, client, upstream):
        passed = 0
        with contextlib.suppress(OSError):
            while data := upstream.recv(65536):
                client.sendall(data)
                passed += len(data)
                if not self.goes_on(passed):
                    upstream.shutdown(socket.SHUT_RDWR)
                    break
            client.shutdown(socket.SHUT_WR)

    def close(self):
        for end in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
