import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { runWhole as run, test } from './support/program-test.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

describe.concurrent('a link in the reports folder', () => {
  test('in the place of previous/ is replaced, and not followed', async ({ expect }) => {
    const cwd = await emptyFolder()
    const elsewhere = await withYesterdays(await emptyFolder(), 'other')
    const folder = await withYesterdays(cwd)
    await symlink(elsewhere, join(folder, 'previous'))
    await writeFile(join(elsewhere, 'verdict.json'), 'of others')
    const { code } = await run(['--base-url', 'embedded', '--only', 'endpoints/*'], { cwd })

    expect(code).toBe(0)
    expect(await readFile(join(elsewhere, 'verdict.json'), 'utf8')).toBe('of others')
    expect(readFileSync(join(folder, 'previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
  })

  test('in the place of the folder in which reports are moved is replaced', async ({ expect }) => {
    const cwd = await emptyFolder()
    const elsewhere = await withYesterdays(await emptyFolder(), 'other')
    const folder = await withYesterdays(cwd)
    await symlink(elsewhere, join(folder, '.previous'))
    const { code } = await run(['--base-url', 'embedded', '--only', 'endpoints/*'], { cwd })

    expect(code).toBe(0)
    expect((await readdir(elsewhere)).toSorted()).toEqual(['allure-results', 'junit.xml', 'verdict.json'])
  })

  test('in the place of the history is followed only where RUN_HISTORY names it', async ({ expect }) => {
    const cwd = await emptyFolder()
    const target = join(await emptyFolder(), 'profile')
    await writeFile(target, 'export A=1\n')
    await mkdir(join(cwd, 'reports'))
    symlinkSync(target, join(cwd, 'reports', 'history.jsonl'))
    const args = ['--base-url', 'embedded', '--only', 'endpoints/*']
    const unnamed = await run(args, { cwd })
    const before = readFileSync(target, 'utf8')
    const named = await run([...args, '--history', 'reports/history.jsonl'], { cwd })

    expect([unnamed.code, before]).toEqual([4, 'export A=1\n'])
    expect(unnamed.stderr).toContain('it is a symbolic link, which is followed only if a setting names it')
    expect([named.code, readFileSync(target, 'utf8').split('\n').length]).toEqual([0, 3])
  })
})

describe.concurrent('a pipe or a device is not waited for:', () => {
  const put = (file: string): void => void execFileSync('mkfifo', [file])
  const device = (file: string): void => symlinkSync('/dev/zero', file)

  test.for([
    ['verdict.json', put],
    ['verdict.json', device],
    ['.run.lock', put],
    ['.run.lock', device],
  ] as const)(
    'as %s it is refused, and the folder left as it is (%#)',
    async ([name, make], { reference, expect }) => {
      const cwd = await emptyFolder()
      await mkdir(join(cwd, 'here'))
      make(join(cwd, 'here', name))
      const service = await reference()
      const env = settingsFor(service)
      const { code, stderr } = await run(['--reports-dir', 'here'], { cwd, env })

      expect([code, stderr]).toEqual([2, expect.stringContaining('no plain file, but a pipe or a device')])
      expect([await readdir(join(cwd, 'here')), service.requests()]).toEqual([[name], 0])
    },
  )

  test.for([put, device])('as a module it is refused (%#)', async (make, { expect }) => {
    const suites = await ownFolder({ 'b.mjs': declaring(ownEntry) })
    make(join(suites, 'a.mjs'))
    const { code, stderr } = await run(['plan', '--base-url', 'embedded', '--suites', suites], {})

    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/a\.mjs \(no plain file, but a pipe or a device\)/),
    ])
  })

  test('as the history: 4, and what was not written is told', async ({ expect }) => {
    const cwd = await emptyFolder()
    put(join(cwd, 'pipe'))
    const args = ['--base-url', 'embedded', '--only', 'endpoints/*', '--history', 'pipe']
    const { code, stderr, verdict } = await run(args, { cwd })

    expect([code, verdict?.verdict]).toEqual([4, 'error'])
    expect(stderr).toContain('it is a pipe from which nobody reads')
  })

  test('as the history, from which somebody reads', async ({ expect }) => {
    const args = ['--base-url', 'embedded', '--only', 'endpoints/*', '--quiet']
    const through = ['bash', '-c', '"$@" --history >(cat >&2); code=$?; wait $!; exit $code', 'bash']
    const { code, stderr } = await run(args, { through })

    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('{"format":"card-switch-conformance/history/'),
    ])
  })

  test("as GitHub's summary: told, and the verdict stays", async ({ expect }) => {
    const cwd = await emptyFolder()
    put(join(cwd, 'pipe'))
    const { code, stderr } = await run(['--base-url', 'embedded', '--only', 'endpoints/*'], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: join(cwd, 'pipe') },
    })

    expect([code, stderr]).toEqual([0, expect.stringContaining('(GITHUB_STEP_SUMMARY): it is a pipe')])
  })
})
