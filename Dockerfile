# The server and the command line on a slim Debian 12, as a user without rights.
FROM debian:12-slim AS build
WORKDIR /src
COPY .ci/install-dependencies .ci/
RUN .ci/install-dependencies build
COPY . .
RUN cmake --preset dist \
 && cmake --build --preset dist --target bin/torqued bin/torquectl \
 && install -s build/dist/bin/torqued build/dist/bin/torquectl /usr/local/bin

FROM debian:12-slim
COPY .ci/install-dependencies /tmp/
# The packages of gRPC bring libprotoc and libgrpc_plugin_support, 3.4 MB. The
# programs load neither.
RUN printf 'path-exclude=/usr/lib/*/%s.so*\n' libprotoc libgrpc_plugin_support \
    >/etc/dpkg/dpkg.cfg.d/no-compiler \
 && /tmp/install-dependencies runtime \
 && apt-get clean \
 && rm -rf /tmp/install-dependencies /var/lib/apt/lists/* /var/log/apt \
    /var/log/dpkg.log /etc/dpkg/dpkg.cfg.d/no-compiler \
 && groupadd --gid 7421 torqued \
 && useradd --uid 7421 --gid torqued --no-log-init --no-create-home \
    --home-dir /var/lib/torqued --shell /usr/sbin/nologin torqued \
 && install -d -o torqued -g torqued /var/lib/torqued
COPY --from=build /usr/local/bin/torqued /usr/local/bin/torquectl /usr/local/bin/
COPY LICENSE /usr/share/doc/torqued/
COPY deploy/container.toml /etc/torqued/torqued.toml

ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="torqued" \
      org.opencontainers.image.description="Networked robot dynamics" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# No setting: those would win over a file that is mounted in its place. The
# health check has the same environment.
ENV TORQUED_CONFIG=/etc/torqued/torqued.toml
# In numbers: an orchestrator can tell that this is not root.
USER 7421:7421
VOLUME /var/lib/torqued
EXPOSE 7421
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["torqued", "--health-check"]
ENTRYPOINT ["torqued"]
