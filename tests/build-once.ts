import { execFileSync } from 'node:child_process'

/** Builds the package before the tests, which run the program as it is installed. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', cwd: new URL('..', import.meta.url) })
}
