import { describe } from 'vitest'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { run, test } from './support/program-test.ts'
import { emptyFolder, settingsFor } from './support/program.ts'

const fault = { faults: ['missing-api-key-called-invalid'] }
const acceptance = ['--profile', 'acceptance', '--fuzz-cases', '3', '--max-rps', '1000']

/** A case to a target that is no path. */
const odd = `(context) => context.endpoints.map(({ request }) =>
  example('odd', request.onRawSocket().to('x'), answers({ status: 418, errorCode: '1' })))`

describe.concurrent('what a run left is read, sealed and verified:', () => {
  test.for<readonly [what: string, code: number, options: ReferenceOptions, args: readonly string[]]>([
    ['of a conformant service', 0, {}, []],
    ['of one below a path', 0, { variant: 'path-prefix' }, ['--essential']],
    ['of an accepted one', 0, {}, acceptance],
    ['of one that was not accepted', 1, fault, acceptance],
    ['of one that breaks a rule', 1, fault, []],
    ['of one that breaks a form', 0, { faults: ['success-labelled-json-and-html'] }, []],
    ['of some rules', 1, fault, ['--only', 'authentication/*']],
    ['of some rules in acceptance', 3, {}, [...acceptance, '--only', 'authentication/*']],
    ['of one case a rule', 0, {}, ['--essential']],
    ['by a rule set', 0, {}, ['--rules', '2026-11', '--essential']],
    ['of a night', 0, {}, ['--profile', 'nightly', '--fuzz-cases', '5', '--only', 'fuzz/*']],
    ['with too small a budget', 3, {}, ['--max-requests', '12']],
    ['that was cut short', 3, { latencyMs: 50 }, ['--max-minutes', '0.01']],
    ['with a label of full length', 0, {}, ['--essential', '--label', '𝒙'.repeat(200)]],
    ['with rules of its own', 1, {}, ['--suites', '.']],
    ['with a new baseline', 0, {}, ['--baseline', 'baseline.json']],
    ['with mistaken settings', 2, {}, ['--timeout-ms', 'soon', '--only', 'nothing']],
  ])('%s', async ([, code, options, args], { reference, expect }) => {
    const cwd = await ownFolder({ 'own.mjs': declaring(ownEntry, odd) })
    const env = settingsFor(await reference(options))
    expect((await run(args, { cwd, env })).code).toBe(code)

    for (const command of [
      ['report', 'reports'],
      ['bundle', 'reports', '--out', 'evidence.tar.gz'],
      ['verify', 'evidence.tar.gz'],
      ['compare', 'reports', 'reports'],
    ])
      expect(await run(command, { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  test('of the embedded service, at whatever port', async ({ expect }) => {
    const cwd = await emptyFolder()
    const judged = await run(['--base-url', 'embedded', '--quiet'], { cwd })
    await run(['bundle', 'reports', '--out', 'evidence.tar.gz'], { cwd })

    expect([judged.code, (await run(['verify', 'evidence.tar.gz'], { cwd })).code]).toEqual([0, 0])
  })

  test('of agreed exceptions', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const {
      FIXTURE_INACTIVE_API_KEY: _,
      FIXTURE_INACTIVE_SECRET_KEY: __,
      ...env
    } = settingsFor(await reference(fault))
    await run([], { cwd, env })
    await run(['waive', 'reports', '--out', 'waivers.json', '--reason', 'agreed', '--owner', 'Kim'], { cwd })
    const waived = await run(['--waivers', 'waivers.json'], { cwd, env })
    expect(waived).toMatchObject({ code: 0, verdict: { verdict: 'conformant' } })

    await run(['bundle', 'reports', '--out', 'evidence.tar.gz'], { cwd })
    expect(await run(['verify', 'evidence.tar.gz'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })
})
