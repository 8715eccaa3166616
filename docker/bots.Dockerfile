# One image for each language in which submitted bots are built and run, and one with all of them, in which the arena's boxes
# are made. From the repository's root:
#
#   docker build -f docker/bots.Dockerfile --target rust -t cheatarena-bot-rust .
#   docker build -f docker/Dockerfile -t cheatarena . && docker build -f docker/bots.Dockerfile -t cheatarena-boxes .
#
# A box has no network. So each image has the packages of the sample bot in its language, in /usr/local/share/bots, and its tools
# take packages from there. All other packages have to be in the bot's own folder. Nothing depends on a variable of the
# image: a box does not pass it on.
ARG DEBIAN=debian:trixie-slim
ARG PYTHON=python:3.13-slim-trixie
ARG NODE=node:24-trixie-slim
ARG GO=golang:1.26-trixie
ARG RUST=rust:1.95-slim-trixie
ARG SERVER=cheatarena

# ---- python: the SDK for Python

FROM ${PYTHON} AS python
WORKDIR /src
COPY requirements.lock ./
COPY sdk ./sdk
RUN sed -n '/^uv==/,/[^\\]$/p' requirements.lock > uv.txt \
 && pip install --no-cache-dir --require-hashes --target /tmp/uv -r uv.txt \
 && UV_SYSTEM_CERTS=1 /tmp/uv/bin/uv pip install --system --break-system-packages --no-cache --no-sources --compile-bytecode \
      --constraints requirements.lock --build-constraints requirements.lock ./sdk \
 && rm -rf /tmp/uv \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- typescript: node and npm

FROM ${NODE} AS typescript-packages
WORKDIR /src
COPY sample_bots/typescript/package.json sample_bots/typescript/package-lock.json ./
RUN npm install --ignore-scripts --no-audit --no-fund --cache /packages

FROM ${NODE} AS typescript
COPY --from=typescript-packages /packages/_cacache /usr/local/share/bots/npm/_cacache
COPY docker/use-kept-packages.sh /usr/local/share/bots/use-kept-packages.sh
RUN chmod 0755 /usr/local/share/bots/use-kept-packages.sh \
 && ln -sf /usr/local/share/bots/use-kept-packages.sh /usr/local/bin/npm \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- go: without a C compiler

FROM ${GO} AS go-packages
WORKDIR /src
COPY sample_bots/go/go.mod sample_bots/go/go.sum ./
# A proxy in a folder, for which go.sum is enough.
RUN GOMODCACHE=/packages /usr/local/go/bin/go mod download \
 && printf '%s\n' GOPROXY=file:///usr/local/share/bots/go GOSUMDB=off GOTOOLCHAIN=local > /usr/local/go/go.env

FROM ${DEBIAN} AS go
COPY --from=go-packages /usr/local/go /usr/local/go
COPY --from=go-packages /packages/cache/download /usr/local/share/bots/go
RUN ln -s /usr/local/go/bin/go /usr/local/go/bin/gofmt /usr/local/bin/ \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- rust: with the linker of gcc

FROM ${RUST} AS rust-packages
WORKDIR /src
COPY sample_bots/rust ./
# With --help, the script makes Cargo.lock and builds nothing.
RUN sh build.sh --help > /dev/null \
 && mkdir -p /usr/local/share/bots/cargo \
 && cargo vendor --locked /usr/local/share/bots/cargo/crates > /usr/local/share/bots/cargo/config.toml \
 && chmod -R a+rX /usr/local/share/bots \
 && cp -a "$(rustc --print sysroot)" /usr/local/rust

FROM ${DEBIAN} AS rust
COPY --from=rust-packages /usr/local/rust /usr/local/rust
COPY --from=rust-packages /usr/local/share/bots/cargo /usr/local/share/bots/cargo
COPY docker/use-kept-packages.sh /usr/local/share/bots/use-kept-packages.sh
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/* \
 && chmod 0755 /usr/local/share/bots/use-kept-packages.sh \
 && ln -s /usr/local/share/bots/use-kept-packages.sh /usr/local/bin/cargo \
 && ln -s /usr/local/rust/bin/rustc /usr/local/rust/bin/rustdoc /usr/local/bin/ \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- java: a JDK and Maven of Debian

FROM ${DEBIAN} AS java-tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends openjdk-21-jdk-headless maven \
 && rm -rf /var/lib/apt/lists/*

FROM java-tools AS java-packages
WORKDIR /src/sample_bots/java
COPY proto /src/proto
COPY sample_bots/java ./
RUN mvn --quiet --batch-mode -DskipTests -Dmaven.repo.local=/packages package

FROM java-tools AS java
COPY --from=java-packages /packages /usr/local/share/bots/maven/repository
COPY docker/use-kept-packages.sh /usr/local/share/bots/use-kept-packages.sh
RUN chmod 0755 /usr/local/share/bots/use-kept-packages.sh \
 && ln -s /usr/local/share/bots/use-kept-packages.sh /usr/local/bin/mvn \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- cpp: a compiler, CMake and gRPC of Debian

FROM ${DEBIAN} AS cpp
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      g++ cmake make pkg-config protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc++-dev \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 61184 --create-home bot
USER bot
WORKDIR /bot

# ---- boxes: the arena with all languages

FROM ${SERVER} AS server

FROM python AS boxes
USER root
COPY --from=server /opt/arena /opt/arena
COPY --from=typescript /usr/local/bin/node /usr/local/bin/node
COPY --from=typescript /usr/local/lib/node_modules /usr/local/lib/node_modules
COPY --from=typescript /usr/local/share/bots /usr/local/share/bots
COPY --from=go /usr/local/go /usr/local/go
COPY --from=go /usr/local/share/bots /usr/local/share/bots
COPY --from=rust /usr/local/rust /usr/local/rust
COPY --from=rust /usr/local/share/bots /usr/local/share/bots
COPY --from=java /usr/local/share/bots /usr/local/share/bots
COPY docker/start-boxes.sh /usr/local/bin/
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap libseccomp2 openjdk-21-jdk-headless maven \
      g++ cmake make pkg-config protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc++-dev \
 && rm -rf /var/lib/apt/lists/* \
 && for program in npm mvn cargo; do \
      ln -sf /usr/local/share/bots/use-kept-packages.sh "/usr/local/bin/$program"; \
    done \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && ln -s /usr/local/go/bin/go /usr/local/go/bin/gofmt /usr/local/rust/bin/rustc /usr/local/rust/bin/rustdoc /usr/local/bin/ \
 && chmod 0755 /usr/local/bin/start-boxes.sh \
 && useradd --uid 10001 --no-create-home --home-dir /var/lib/arena --shell /usr/sbin/nologin arena \
 && install -d -o arena -g arena -m 0700 /var/lib/arena
ENV PATH=/opt/arena/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 ARENA_DATA=/var/lib/arena
WORKDIR /var/lib/arena
# It begins as root, to get a part of the control groups, and then becomes the user `arena` without any capability.
ENTRYPOINT ["start-boxes.sh"]
CMD ["boxes"]
