// Runs the program from a checkout: compiles it first where a source is newer than what was compiled last. Plain JavaScript,
// since it must run before anything is compiled. (Loading the sources through a TypeScript loader takes longer than a gate.)
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiled = join(root, 'dist/lib/report/verdict.schema.json')

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** When anything below these folders was last changed; a folder itself changes when a file in it comes or goes. */
function newest(folders) {
  return Math.max(
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isDirectory() || /\.(?:ts|json)$/.test(entry.name))
        .map((entry) => changedAt(join(entry.parentPath ?? entry.path, entry.name))),
    ),
    ...folders.map((folder) => changedAt(join(root, folder))),
  )
}

// The build writes this file last.
if (
  newest(['lib', 'suites']) >= changedAt(compiled) ||
  changedAt(join(root, 'package.json')) >= changedAt(compiled)
) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
await import('../../dist/lib/cli/main.js')
