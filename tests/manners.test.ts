import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { billOfMaterials } from '../bin/build.mjs'
import { against } from './support/program-test.ts'
import { textOf } from './support/syntax.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A module that logs each connection and each name lookup of the process on its own line. */
const recorder = `
import { appendFileSync } from 'node:fs'
import dns from 'node:dns'
import net from 'node:net'
import { syncBuiltinESMExports } from 'node:module'
const note = (text) => appendFileSync(process.env.CONNECTIONS, text + '\\n')
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [[{ path, host = 'localhost', port } = {}] = []] = given.map((one) => (Array.isArray(one) ? one : [one]))
  note(path ?? host + ':' + port)
  return Reflect.apply(connect, this, given)
}
const { lookup } = dns
dns.lookup = (name, ...given) => (note('name ' + name), lookup(name, ...given))
syncBuiltinESMExports()
`

test.for(['run --essential', 'doctor', 'plan'])('%s connects only to its target', async (words) => {
  const { service, cwd, run, read } = await against({ files: { met: '', 'recorder.mjs': recorder } })
  const env = { NODE_OPTIONS: `--import=${cwd}/recorder.mjs`, CONNECTIONS: join(cwd, 'met') }
  const { code } = await run(words, { env })

  expect(code).toBe(0)
  const met = new Set((await read('met')).trim().split('\n'))
  expect([...met]).toEqual(words === 'plan' ? [''] : [new URL(service.baseUrl).host])
})

/** Licences that only require users of the program to keep the licence texts. */
const permissive = '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 ISC MIT Python-2.0'.split(' ')
/** Licences of packages that only developers install. */
const ofTools = [...permissive, 'CC-BY-4.0', 'MPL-2.0']

interface Bill {
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly licenses: readonly { readonly license: { readonly id: string } }[]
    readonly hashes: readonly { readonly content: string }[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Installed {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, Installed>>
}

const namesBelow = ({ dependencies = {} }: Installed): readonly string[] =>
  Object.entries(dependencies).flatMap(([name, one]) => [`${name}@${one.version}`, ...namesBelow(one)])

test('dependencies are in the bill of materials as npm would install them, under permissive licences', async () => {
  const text = JSON.stringify(billOfMaterials())
  const { components, dependencies }: Bill = JSON.parse(text)
  const listed = execFileSync('npm', ['ls', '--omit', 'dev', '--omit', 'peer', '--all', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const wanted = new Set(namesBelow(JSON.parse(listed)))

  expect(wanted.size).toBeGreaterThan(10)
  expect(new Set(components.map((one) => `${one.name}@${one.version}`))).toEqual(wanted)
  const isPermissive = ({ license }: { license: { id: string } }): boolean => permissive.includes(license.id)
  expect(components.filter(({ licenses }) => !licenses.every(isPermissive))).toEqual([])
  expect(components.filter(({ hashes }) => hashes[0]?.content.length !== 128)).toEqual([])
  // Every listed component is a dependency of another, and every dependency is listed.
  const named = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn))
  expect(named).toEqual(new Set(dependencies.slice(1).map(({ ref }) => ref)))
  expect(text).not.toMatch(/"resolved"|\.tgz/)
})

test('dependencies for development have known licences', () => {
  const { packages }: { packages: Readonly<Record<string, { readonly license?: string }>> } = JSON.parse(
    textOf('package-lock.json'),
  )
  const others = Object.entries(packages).filter(([, { license = 'none' }]) => !ofTools.includes(license))

  expect(others).toEqual([])
})
