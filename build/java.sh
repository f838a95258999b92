# For scripts at the root that build a jar and run it; they set root, and read this.

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
needs_jdk() {
  "${java}c" -version 2>&1 | awk '$1 == "javac" { v = $2 } END { exit v + 0 < 17 }' ||
    fail "needs a JDK 17 or newer, in JAVA_HOME or on the PATH"
}

# Builds a jar of a module if it is missing or older than what it is made of.
build() {
  local jar=$1 module=$2
  cd "$root"
  if [[ ! -e $jar ]] || [[ -n $(find pom.xml bide-*/pom.xml bide-*/src/main "$module"/pom.xml "$module"/src/main \
    -newer "$jar" -print -quit) ]]; then
    command -v mvn >/dev/null || fail "needs Maven 3.8.7 or newer, on the PATH"
    echo "building $module"
    mvn -q -B -ntp -Dstyle.color=never -Dmaven.test.skip -Dmaven.source.skip -pl "$module" -am package
    touch "$jar"
  fi
}
