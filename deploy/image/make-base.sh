#!/bin/sh
# Makes the archive of a slim Debian 12, for machines that reach no registry:
# Debian's minimal root with its security updates, without documentation,
# translations, package lists and traces of the machine that made it. As root.
#
# Usage: deploy/image/make-base.sh ARCHIVE
set -eu

[ $# = 1 ] || { echo "usage: $0 ARCHIVE" >&2; exit 64; }
archive=$1
made=$(mktemp -d /var/tmp/torqued-base.XXXXXX)
trap 'rm -rf --one-file-system "$made"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$made"  # apt downloads as a user of its own
root=$made/root

"$(dirname "$0")/../debian/make-root.sh" "$root"

# What a slim Debian leaves out, now and in whatever is installed later.
cat >"$root/etc/dpkg/dpkg.cfg.d/slim" <<'TEXT'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/linda/*
path-exclude /usr/share/lintian/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/man/*
TEXT
sed -n 's|^path-exclude /\(.*\)/\*$|\1|p' "$root/etc/dpkg/dpkg.cfg.d/slim" |
  while read -r excluded; do
    [ ! -d "$root/$excluded" ] ||
      find "$root/$excluded" -mindepth 1 ! -type d \
        ! -path '*/doc/*/copyright' -delete
  done
find "$root/usr/share" -mindepth 1 -type d -empty -delete

cat >"$root/etc/apt/apt.conf.d/slim" <<'TEXT'
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb"; };
TEXT
# Nothing is started while packages are installed.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

# Updates and security updates come from where this machine gets them.
# shellcheck disable=SC2016  # apt-get fills in what looks like variables
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) main' \
  'Created-By: Packages' 'Origin: Debian' 'Component: main' |
  grep -E ' bookworm(-updates|-security)? main$' || true)
[ -z "$sources" ] || echo "$sources" >"$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" sh -euc '
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=300 update -qq
  apt-get -o DPkg::Lock::Timeout=300 dist-upgrade -y -qq -o Dpkg::Use-Pty=0
' >"$made/log" 2>&1 || { cat "$made/log" >&2; exit 1; }

rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* \
  "$root"/var/cache/debconf/*-old "$root"/var/cache/ldconfig \
  "$root"/var/lib/dpkg/*-old "$root"/var/log/apt
find "$root/var/log" -type f -delete
: >"$root/etc/resolv.conf"
echo localhost >"$root/etc/hostname"
echo uninitialized >"$root/etc/machine-id"

tar -C "$root" --numeric-owner -cf "$archive.new" .
mv "$archive.new" "$archive"
