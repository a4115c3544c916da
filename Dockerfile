# The server and the command line, on Debian 12 slim, as a user without rights.
FROM debian:12-slim AS build
WORKDIR /src
COPY deploy/debian/install-packages.sh deploy/debian/
RUN deploy/debian/install-packages.sh build
COPY . .
RUN cmake --preset image \
 && cmake --build --preset image --target torqued_daemon torquectl \
 && strip build/image/bin/torqued build/image/bin/torquectl

FROM debian:12-slim
COPY deploy/debian/install-packages.sh /tmp/
RUN /tmp/install-packages.sh runtime \
 && rm -rf /tmp/install-packages.sh /var/lib/apt/lists/* \
 && useradd --system --uid 7421 --home-dir /var/lib/torqued torqued \
 && install -d -o torqued -g torqued /var/lib/torqued
COPY --from=build /src/build/image/bin/torqued /src/build/image/bin/torquectl /usr/local/bin/
COPY LICENSE /usr/share/doc/torqued/
USER torqued
VOLUME /var/lib/torqued
EXPOSE 7421
ENV TORQUED_LISTEN=0.0.0.0:7421 \
    TORQUED_STORE=/var/lib/torqued/models.db \
    TORQUED_LOG_FORMAT=json
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["torqued", "--health-check", "127.0.0.1:7421"]
ENTRYPOINT ["torqued"]
