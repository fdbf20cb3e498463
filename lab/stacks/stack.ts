import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A service in a framework that we did not choose, and its requirements. */
export interface Stack {
  readonly name: string
  readonly needs: { readonly debian: readonly string[] } | { readonly npm: readonly string[] }
}

/** A slip with which a stack can be started. */
export interface StackFault {
  readonly name: string
  /** The fault, in the words of the specification. */
  readonly what: string
  /** Why a programmer of this language writes it. */
  readonly slip: string
}

/** The folder of all stacks. */
export const stacksFolder = fileURLToPath(new URL('.', import.meta.url))

/** Every stack. The first of its requirements is its framework or its server. */
export const allStacks: readonly Stack[] = [
  { name: 'cpp-httplib', needs: { debian: ['libcpp-httplib-dev', 'nlohmann-json3-dev', 'g++'] } },
  { name: 'django', needs: { debian: ['python3-django', 'gunicorn'] } },
  { name: 'express', needs: { npm: ['express'] } },
  { name: 'fastapi-uvicorn', needs: { debian: ['python3-fastapi', 'python3-uvicorn'] } },
  { name: 'fastify', needs: { npm: ['fastify'] } },
  { name: 'flask-gunicorn', needs: { debian: ['python3-flask', 'gunicorn'] } },
  { name: 'flask-waitress', needs: { debian: ['python3-flask', 'python3-waitress'] } },
  { name: 'go-net-http', needs: { debian: ['golang-go'] } },
  { name: 'hono', needs: { npm: ['hono', '@hono/node-server'] } },
  { name: 'jdk-httpserver', needs: { debian: ['default-jdk-headless'] } },
  { name: 'jetty', needs: { debian: ['libjetty9-java', 'default-jdk-headless'] } },
  { name: 'koa', needs: { npm: ['koa', '@koa/router'] } },
  { name: 'mojolicious', needs: { debian: ['libmojolicious-perl'] } },
  { name: 'node-http', needs: { npm: [] } },
  { name: 'php-fpm-nginx', needs: { debian: ['php-fpm', 'nginx-light'] } },
  { name: 'php-server', needs: { debian: ['php-cli'] } },
  { name: 'sinatra-puma', needs: { debian: ['ruby-sinatra', 'puma'] } },
  { name: 'tomcat', needs: { debian: ['libtomcat9-java', 'default-jdk-headless'] } },
  { name: 'tornado', needs: { debian: ['python3-tornado'] } },
]

/** The faults of a stack. */
export function faultsOf({ name }: Stack): readonly StackFault[] {
  return JSON.parse(readFileSync(join(stacksFolder, name, 'faults.json'), 'utf8'))
}

/** The versions of a stack's requirements, in order; null if not installed. */
export function versionsOf({ needs }: Stack): readonly (readonly [name: string, version: string | null])[] {
  if ('debian' in needs) return needs.debian.map((name) => [name, debianVersion(name)])
  return [['node', process.version.slice(1)], ...needs.npm.map((name) => [name, npmVersion(name)] as const)]
}

/** The requirements of a stack that are not installed. */
export function missingFor(stack: Stack): readonly string[] {
  return versionsOf(stack).flatMap(([name, version]) => (version === null ? [name] : []))
}

function debianVersion(name: string): string | null {
  try {
    const shown = execFileSync(
      'dpkg-query',
      ['--show', '--showformat=${db:Status-Status} ${Version}', name],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    )
    return /^installed (.*)$/.exec(shown)?.[1] ?? null
  } catch {
    return null
  }
}

function npmVersion(name: string): string | null {
  const file = join(stacksFolder, 'npm/node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null
}
