// npm run release: makes the tarball of the package and SHA256SUMS (for `sha256sum -c`) in release/. The same commit, Node and npm give the
// same bytes. Refuses uncommitted changes, except with `-- --allow-dirty`.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'release')
const said = (program, ...args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim()

if (!process.argv.includes('--allow-dirty') && said('git', 'status', '--porcelain') !== '') {
  process.stderr.write('not released: commit your changes first (git status), or use --allow-dirty\n')
  process.exit(2)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const name = said('npm', 'pack', '--silent', '--pack-destination', folder).split('\n').at(-1)
const digest = createHash('sha256')
  .update(readFileSync(join(folder, name)))
  .digest('hex')
writeFileSync(join(folder, 'SHA256SUMS'), `${digest}  ${name}\n`)
process.stdout.write(`release/${name}\nrelease/SHA256SUMS\n${digest}\n`)
