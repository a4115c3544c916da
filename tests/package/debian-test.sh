#!/bin/sh
# Installs the Debian packages in a fresh Debian 12, boots that as a container
# with its own systemd and its own loopback, uses the service, upgrades, removes
# and purges it. Takes a minute or two; needs root and the Debian archive.
#
# Usage: tests/package/debian-test.sh DIRECTORY_OF_PACKAGES
set -eu
[ $# = 1 ] || { echo "usage: $0 DIRECTORY_OF_PACKAGES" >&2; exit 64; }
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
packages=$1
. "$(dirname "$0")/../support/nspawn.sh"
log() { inside journalctl --no-pager --unit torqued --lines 40; }
address=127.0.0.1:7421

# A command in the root that is not booted; it sees the host's network.
offline() (
  nspawn --resolv-conf=copy-host --setenv=DEBIAN_FRONTEND=noninteractive "$@"
)
install() {
  quietly offline apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@"
}

# A command in the booted container.
inside() {
  within -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

serves() { inside torqued --health-check "$address"; }
property() { inside systemctl show torqued --value --property "$1"; }
process() { property MainPID; }
is_state() { [ "$(property ActiveState)" = "$1" ]; }
torquectl() { inside torquectl --server "$address" "$@"; }
torque() {
  torquectl id --model planar_2r --q 0.1,0.2 --gravity 0,-9.81,0 |
    awk '$1 == "0" { print $2, $3 }'
}
settings=/etc/torqued/torqued.toml
store=/var/lib/torqued/models.db

step "The packages: what lintian says"
for package in torqued libtorqued-dev python3-torqued; do
  cp "$packages/$package"_*.deb "$work/$package.deb"
done
size=$(stat --format %s "$work/torqued.deb")
lintian --allow-root --fail-on error,warning "$packages"/*.deb ||
  fail "lintian found something"

step "A fresh Debian 12"
quietly mmdebstrap --variant=minbase --skip=cleanup/apt/lists bookworm "$root"
cp "$work"/*.deb "$root/root"

step "Installing where nothing runs: dependencies, no start"
install /root/torqued.deb
equal "what dpkg finds changed" "" "$(offline dpkg --verify torqued)"
equal "the version" "torqued $(offline dpkg-query --show --showformat '${Version}' torqued)" \
  "$(offline torqued --version)"
offline torquectl --version
equal "the user" \
  "torqued:x:/var/lib/torqued:/usr/sbin/nologin" \
  "$(awk -F: '$1 == "torqued" { print $1 ":" $2 ":" $6 ":" $7 }' "$root/etc/passwd")"
[ ! -e "$root/var/lib/torqued" ] || fail "the server ran"
equal "what the administrator may edit" "$settings" \
  "$(offline dpkg-query --show --showformat '${Conffiles}' torqued |
    awk 'NF { print $1 }')"
install --simulate /root/libtorqued-dev.deb

step "Installing the Python client"
install /root/python3-torqued.deb
equal "what dpkg finds changed" "" "$(offline dpkg --verify python3-torqued)"
modules=$root/usr/lib/python3/dist-packages/torqued
[ -n "$(find "$modules" -name '*.pyc')" ] || fail "nothing is compiled"

step "Booting it with systemd"
echo "127.0.0.1 localhost" >"$root/etc/hosts"
install dbus systemd-sysv
start systemd --boot --private-network
until_true "the system did not come up with all its services" \
  inside timeout 10 systemctl is-system-running --wait
equal "the unit" "enabled" "$(inside systemctl is-enabled torqued)"
until_true "the service did not come up" serves
equal "what systemd-analyze says of the unit" "" \
  "$(inside systemd-analyze verify --man=no "$(property FragmentPath)" 2>&1)"
quietly inside systemd-analyze security --no-pager --threshold=15 torqued.service

step "Using the service"
equal "the server's user" torqued \
  "$(inside stat --format %U "/proc/$(process)")"
torquectl models add /usr/share/torqued/models/planar_2r.urdf >/dev/null
equal "the torques" "22.7048 5.62311" "$(torque)"
equal "the torques that Python sees" "22.7048 5.62311" "$(
  inside python3 -c '
import sys
import torqued
with torqued.connect(sys.argv[1]) as client:
    tau = client.model("planar_2r").inverse_dynamics(
        [0.1, 0.2], gravity=[0, -9.81, 0])
    print(*(f"{number:.6g}" for number in tau))' "$address")"
inside dpkg --purge python3-torqued >/dev/null
[ ! -e "$modules" ] || fail "modules outlive a purge"
equal "the limit of descriptors" 524288 "$(property LimitNOFILE)"
equal "the state directory" "torqued:torqued 750" \
  "$(inside stat --format '%U:%G %a' /var/lib/torqued)"
equal "the store's owner" "torqued:torqued" \
  "$(inside stat --format '%U:%G' $store)"

step "All settings as the file suggests them, and a Unix socket for the group"
cp "$root$settings" "$work/settings"
sed -e 's/^#\([a-z-]* = \)/\1/' \
  -e "s|^listen = .*|listen = [\"localhost:7421\", \"unix:/run/torqued/socket\"]|" \
  "$work/settings" >"$root$settings"
inside systemctl restart torqued
until_true "the service did not come up" serves
torquectl models list | grep -q ur5e || fail "the examples are not served"
inside runuser -u nobody -g torqued -- \
  torquectl --server unix:/run/torqued/socket models list | grep -q planar_2r ||
  fail "the group cannot use the socket"
! inside runuser -u nobody -- \
  torquectl --server unix:/run/torqued/socket ping >/dev/null 2>&1 ||
  fail "everybody can use the socket"

step "Settings that make no sense: failed once, with the reason in the log"
echo "thread = 2" >>"$root$settings"
inside systemctl restart torqued || true
until_true "the service did not fail" is_state failed
equal "the exit code" 64 "$(property ExecMainStatus)"
equal "the number of restarts" 0 "$(property NRestarts)"
key_is_logged() {
  inside journalctl --quiet --no-pager --unit torqued --lines 20 |
    grep -q "unknown key 'thread'"
}
until_true "the log does not name the key" key_is_logged
cat "$work/settings" >"$root$settings"
inside systemctl reset-failed torqued

step "Reloading: the log says so, and the process stays"
inside systemctl start torqued
before=$(process)
inside systemctl reload torqued
equal "the process" "$before" "$(process)"
reload_is_logged() {
  inside journalctl --quiet --no-pager --unit torqued | grep -q "reloaded"
}
until_true "nothing is reloaded" reload_is_logged

step "Killed: started again, with its models"
serves || fail "systemd took it for started before it served"
before=$(process)
inside systemctl kill --signal=KILL torqued
other_process() { [ "$(process)" != "$before" ] && serves; }
until_true "the service did not come back" other_process
equal "the torques" "22.7048 5.62311" "$(torque)"

step "Upgrading: restarted"
before=$(process)
inside dpkg --install /root/torqued.deb >/dev/null
until_true "the service was not restarted" other_process

step "Stopping: by SIGTERM, with exit code 0"
inside systemctl stop torqued
equal "the end" "exited 0 success" "$(
  case $(property ExecMainCode) in 1) echo exited ;; *) echo killed ;; esac
) $(property ExecMainStatus) $(property Result)"
inside systemctl start torqued
until_true "the service did not come up" serves

step "Removing: models and settings stay"
inside dpkg --remove torqued >/dev/null
until_true "the server still runs" is_state inactive
! inside systemctl cat torqued >/dev/null 2>&1 || fail "the unit is there"
[ -f "$root$store" ] || fail "the models are gone"
[ -f "$root$settings" ] || fail "the settings are gone"
inside dpkg --install /root/torqued.deb >/dev/null
until_true "the service did not come up" serves
equal "the torques" "22.7048 5.62311" "$(torque)"

step "Purging: nothing is left, and a new installation starts anew"
inside dpkg --purge torqued >/dev/null
inside dpkg --install /root/torqued.deb >/dev/null
until_true "the service did not come up" serves
! torquectl models list | grep -q planar_2r || fail "models outlive a purge"
inside dpkg --purge torqued >/dev/null
shut_down || true
rm "$root"/root/*.deb
left=$(find "$root" -path "$root/var/log" -prune -o -iname '*torque*' -print)
equal "what is left" "" "$left"
! grep -q torqued "$root/etc/passwd" "$root/etc/group" "$root/etc/shadow" ||
  fail "the user is left"
echo "Package: $steps steps passed, $size bytes"
