// npm run lab -- NAME [options]: runs one of the programs that measure the suite itself; without a name it prints README.md, which says what each asks.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name = '', ...options] = process.argv.slice(2)
const main = new URL(`./${name}/main.ts`, import.meta.url)

if (name === 'bench') {
  // Compiled, since a loader of TypeScript would be measured, too.
  rmSync(`${root}dist-bench`, { recursive: true, force: true })
  node('node_modules/typescript/bin/tsc', '-p', 'lab/bench/tsconfig.json')
  node('dist-bench/lab/bench/main.js', ...options)
} else if (/^[a-z-]+$/.test(name) && existsSync(main)) {
  node('--import', 'tsx', `lab/${name}/main.ts`, ...options)
} else {
  process.stderr.write(readFileSync(new URL('README.md', import.meta.url), 'utf8'))
  if (name !== '') process.stderr.write(`\nnpm run lab: given ${name}, expected one of these programs\n`)
  process.exitCode = 2
}

/** Runs Node in the checkout; what it ends in is what this ends in. */
function node(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
