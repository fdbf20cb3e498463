// Plain JavaScript, since it must run before anything is compiled.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The build writes this file last. */
const builtLast = join(root, 'dist/lib/report/verdict.schema.json')

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** When anything below a folder was last changed; a folder itself changes when a file in it comes or goes. */
function newestBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const sources = entries.filter(
    (entry) => entry.isDirectory() || /(?<!\.test)\.(?:ts|json)$/.test(entry.name),
  )
  return Math.max(
    changedAt(folder),
    ...sources.map((entry) => changedAt(join(entry.parentPath ?? entry.path, entry.name))),
  )
}

/** Compiles `lib/` and `suites/` into `dist/` where a source is newer than what was compiled last. */
export function buildWhenStale() {
  const newest = Math.max(
    ...['lib', 'suites'].map((folder) => newestBelow(join(root, folder))),
    ...['package.json', 'tsconfig.json', 'tsconfig.build.json'].map((file) => changedAt(join(root, file))),
  )
  if (newest < changedAt(builtLast)) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2] })
}
