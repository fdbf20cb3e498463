import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyBaseline, observe, type Baseline } from '../drift/baseline.ts'
import { BaselineFileError, fileProblem, readBaseline, writeBaseline } from './baseline-file.ts'

const baseline: Baseline = {
  ...emptyBaseline,
  stimuli: { 'GET /a | none': { '200/': { seen: 1, shape: { $: { object: 1 }, '$.größe': { array: 1 } } } } },
}

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baseline-'))
  file = join(folder, 'baseline.json')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof BaselineFileError ? error.message : `no BaselineFileError: ${String(error)}`
}

/** What this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(join('/proc/self/fd', descriptor))]
    } catch {
      // The one that read the folder.
      return []
    }
  })
}

describe('reading', () => {
  it('gives what was written', async () => {
    await writeBaseline(file, baseline)

    expect(await readBaseline(file)).toEqual(baseline)
  })

  it('gives null where there is no file', async () => {
    expect(await readBaseline(file)).toBeNull()
  })

  it.each([
    ['{"name":"package"}', 'it does not say that its format is card-switch-conformance/baseline/1'],
    ['not JSON', 'it is not JSON'],
    ['', 'it is empty'],
  ])('refuses %j with a message that says how to mend it', async (text, wrong) => {
    writeFileSync(file, text)

    expect(await messageOf(readBaseline(file))).toBe(
      `the baseline ${file} cannot be used: ${wrong}; name another file with RUN_BASELINE (--baseline), or move this one away and let a run write it anew`,
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('refuses a folder, and a file whose folder is missing, before anything was asked of a target', async () => {
    const missing = join(folder, 'missing', 'baseline.json')
    writeFileSync(join(folder, 'file'), '')

    expect(await messageOf(readBaseline(folder))).toBe(
      `the baseline ${folder} cannot be read: it is a folder; name another file with RUN_BASELINE (--baseline)`,
    )
    expect(await messageOf(readBaseline(missing))).toBe(
      `the baseline ${missing} cannot be read: there is no folder ${join(folder, 'missing')}; name another file with RUN_BASELINE (--baseline)`,
    )
    expect(await messageOf(readBaseline(join(folder, 'file', 'baseline.json')))).toContain(
      'what should be its folder is a file',
    )
  })
})

describe('what is thrown', () => {
  it('names the file, and what the system said', async () => {
    const missing = join(folder, 'missing', 'baseline.json')
    const expected = { name: 'BaselineFileError', file: missing, cause: { code: 'ENOENT', syscall: 'open' } }

    await expect(readBaseline(missing)).rejects.toMatchObject(expected)
    await expect(writeBaseline(missing, baseline)).rejects.toMatchObject(expected)
  })
})

describe('writing', () => {
  it('leaves out what redaction takes out', async () => {
    await writeBaseline(file, baseline, (text) => text.replaceAll('größe', 'masked'))

    expect(Object.keys((await readBaseline(file))?.stimuli['GET /a | none']?.['200/']?.shape ?? {})).toEqual([
      '$',
      '$.masked',
    ])
  })

  it('replaces what was there, and leaves nothing beside it', async () => {
    await writeBaseline(file, baseline)
    await writeBaseline(file, emptyBaseline)

    expect(readFileSync(file, 'utf8')).toBe(
      '{\n  "format": "card-switch-conformance/baseline/1",\n  "stimuli": {}\n}\n',
    )
    expect(readdirSync(folder)).toEqual(['baseline.json'])
  })

  it.skipIf(!existsSync('/proc/self/fd'))('leaves no file open, whether it succeeds or not', async () => {
    await writeBaseline(file, baseline)
    await messageOf(writeBaseline(join(file, 'baseline.json'), baseline))
    mkdirSync(join(folder, 'taken'))
    await messageOf(writeBaseline(join(folder, 'taken'), baseline))

    expect(openFiles().filter((open) => open.startsWith(folder))).toEqual([])
  })

  it('touches nothing of the old file: it puts another in its place', async () => {
    const old = join(folder, 'old.json')
    await writeBaseline(file, emptyBaseline)
    linkSync(file, old)

    await writeBaseline(file, baseline)

    expect(await readBaseline(old)).toEqual(emptyBaseline)
  })

  it('keeps a link, and writes what it leads to', async () => {
    const link = join(folder, 'link.json')
    await writeBaseline(file, emptyBaseline)
    symlinkSync('baseline.json', link)

    await writeBaseline(link, baseline)

    expect(readlinkSync(link)).toBe('baseline.json')
    expect(await readBaseline(file)).toEqual(baseline)
  })

  it('is whole or not at all: several at once leave one of them', async () => {
    const several = [
      baseline,
      emptyBaseline,
      observe(baseline, { requestName: 'b', status: 200, errorCode: null, body: null }),
    ]

    await Promise.all(several.map((one) => writeBaseline(file, one)))

    expect(several).toContainEqual(await readBaseline(file))
    expect(readdirSync(folder)).toEqual(['baseline.json'])
  })

  it('into a missing folder fails with the path and the reason', async () => {
    const missing = join(folder, 'missing', 'baseline.json')

    expect(await messageOf(writeBaseline(missing, baseline))).toBe(
      `the baseline ${missing} cannot be written: its folder does not exist; name another file with RUN_BASELINE (--baseline)`,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  it('over a folder fails, and leaves nothing beside it', async () => {
    mkdirSync(join(file, 'inside'), { recursive: true })

    expect(await messageOf(writeBaseline(file, baseline))).toContain(
      `the baseline ${file} cannot be written: `,
    )
    expect(readdirSync(folder)).toEqual(['baseline.json'])
  })

  it.skipIf(process.getuid?.() === 0)('without permission fails, and keeps what was there', async () => {
    await writeBaseline(file, baseline)
    chmodSync(folder, 0o500)

    const message = await messageOf(writeBaseline(file, emptyBaseline))
    chmodSync(folder, 0o700)

    expect(message).toContain('permission denied')
    expect(await readBaseline(file)).toEqual(baseline)
  })
})

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: open '/somewhere'`), { code })
}

describe('why a file could not be read or written', () => {
  it.each([
    ['EACCES', 'permission denied'],
    ['EPERM', 'permission denied'],
    ['EROFS', 'the file system is read-only'],
    ['EISDIR', 'it is a folder'],
    ['ENOTDIR', 'what should be its folder is a file'],
    ['ENOENT', 'its folder does not exist'],
    ['ENOSPC', 'the disk is full'],
    ['EMFILE', 'EMFILE'],
  ])('%s: %s', (code, reason) => {
    expect(fileProblem(failure(code))).toBe(reason)
  })

  it.each([[new Error('no code')], ['EACCES'], [{ code: 'EACCES' }], [null], [undefined]])(
    'is not known of %o',
    (error) => {
      expect(fileProblem(error)).toBe('unknown trouble')
    },
  )
})
