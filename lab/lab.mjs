// npm run lab -- NAME [options]: runs one of the programs that measure the suite. Without a name it prints
// README.md, which describes them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name = '', ...options] = process.argv.slice(2)
const main = new URL(`./${name}/main.ts`, import.meta.url)

if (/^[a-z-]+$/.test(name) && existsSync(main)) {
  const args = ['--import', 'tsx', `lab/${name}/main.ts`, ...options]
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
} else {
  process.stderr.write(readFileSync(new URL('README.md', import.meta.url), 'utf8'))
  if (name !== '') process.stderr.write(`\nnpm run lab: given ${name}, expected one of these programs\n`)
  process.exitCode = 2
}
