// Runs the program from a checkout. Loading the sources through a TypeScript loader would take longer than a whole gate.
// Plain JavaScript without static imports: nothing that goes wrong here may end in 1, which would say nonconformant.

process.exitCode = 4
process.on('uncaughtException', failed)

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  failed(
    `this program needs Node 20.19 or newer, and was started by Node ${process.versions.node}: install a newer one from https://nodejs.org`,
  )
}

try {
  const { buildWhenStale } = await import('./build-when-stale.mjs')
  buildWhenStale()
} catch (error) {
  failed(
    `the program cannot be compiled: ${reasonOf(error)}; run npm ci, which installs the compiler, and mend what the compiler names above`,
  )
}

process.removeListener('uncaughtException', failed)
try {
  await import('../../dist/lib/cli/main.js')
} catch (error) {
  failed(`the program cannot be loaded: ${reasonOf(error)}; run npm ci, then npm run build, and try again`)
}

function failed(reason) {
  process.stderr.write(`${reasonOf(reason)}\n`)
  process.exit(4)
}

function reasonOf(error) {
  return error instanceof Error ? error.message : String(error)
}
