# `docker build -t logbook .` Without a file system to write to but /data, as any user: see docs/running/install.md.
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY tools/no-telemetry tools/no-telemetry
RUN npm ci
COPY tsconfig.json nest-cli.json .swcrc ./
COPY LICENSE CHANGELOG.md CODE_OF_CONDUCT.md CONTRIBUTING.md README.md SECURITY.md ./
COPY docs docs
COPY tools tools
COPY apps apps
COPY libs libs
COPY test test
# What `logbook --version` and `/version` say: docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=
RUN node node_modules/@nestjs/cli/bin/nest.js build && LOGBOOK_BUILD_COMMIT=$COMMIT node tools/bundle.mjs && node tools/package.mjs /package

FROM ${NODE}
LABEL org.opencontainers.image.title=Logbook org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production LOGBOOK_HOST=0.0.0.0 LOGBOOK_PORT=8080 LOGBOOK_DATA_DIR=/data
WORKDIR /logbook
COPY --from=build /package ./
RUN install -d -m 0700 -o 1000 -g 1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# A start after two kills in a row reads a large log whole, and answers nothing meanwhile.
HEALTHCHECK --interval=10s --timeout=5s --start-period=1h CMD ["node", "tools/health.mjs"]
# No shell and no npm between: signals reach the server.
ENTRYPOINT ["node", "--max-semi-space-size=32", "tools/logbook.mjs"]
CMD ["serve"]
