import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pack } from '../../report/evidence/archive.ts'
import {
  added,
  attested,
  bomb,
  changed,
  filesIn,
  folderIn,
  followed,
  keyPair,
  listedAnew,
  member,
  rewritten,
  sealed,
  sealedAnew,
  sealInput,
  smallVerdict,
  tarIn,
  without,
  type FilesChange,
} from '../../report/evidence/bundle.testing.ts'
import { textFile } from '../../report/evidence/files.ts'
import { publicPem } from '../../report/evidence/keys.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'

const [ours, theirs] = [keyPair(), keyPair()]
const plain = sealed()
const signed = sealed(sealInput(smallVerdict, { key: ours.privateKey }))
const folder = folderIn(plain)
const allureName = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'
const failing = 'authentication/api-key-missing'

/** What is done to an archive, what is said of it, and how `verify` ends. */
interface Forgery {
  readonly done: string
  readonly archive: () => Buffer | Promise<Buffer>
  readonly says: string
  /** 1 by default. */
  readonly code?: 1 | 2
  /** The key of --key: ours, or none by default. */
  readonly key?: 'ours'
}

/** A forgery of the files of an archive. */
function of(done: string, says: string, ...changes: readonly FilesChange[]): Forgery {
  return { done, says, archive: () => changed(plain, ...changes) }
}

/** A forgery of a signed archive, checked with the right key. */
function ofSigned(done: string, says: string, ...changes: readonly FilesChange[]): Forgery {
  return { done, says, archive: () => changed(signed, ...changes), key: 'ours' }
}

/** A forgery of the packing. */
function packed(done: string, says: string, archive: () => Buffer): Forgery {
  return { done, says, archive }
}

/** A member added behind those of the archive. */
function alsoHolds(done: string, says: string, data: Parameters<typeof member>[0], content = 'x'): Forgery {
  return packed(done, says, () => followed(plain, member(data, content)))
}

/** What is no archive of ours. */
function none(done: string, says: string, archive: () => Buffer): Forgery {
  return { done, says, archive, code: 2 }
}

const greener = rewritten('verdict.json', (text) => text.replace(/"status": "failed"/, '"status": "passed"'))
const whitewashed = rewritten('verdict.json', () =>
  verdictJson({
    ...smallVerdict,
    verdict: 'conformant',
    exitCode: 0,
    because: [],
    causes: [],
    rules: smallVerdict.rules.map((rule) => ({ ...rule, status: 'passed', findings: [] })),
  }),
)
const unlike = '"attestation.json" is about other files, or says something else than "verdict.json"'
const notOurs = '"attestation.json" was changed: it is not as `bundle` writes one'
const unfit = 'the signature in "attestation.json" does not fit the statement and the key that you gave'
const says = (from: string, to: string): FilesChange =>
  attested((text) => text.replace(from, to), theirs.privateKey)
const theirKey = rewritten('public-key.pem', () => publicPem(theirs.publicKey))

/** A text in an envelope's payload replaced, under the signature of before. */
const underTheSignature: FilesChange = (files) =>
  files.map((file) => {
    if (file.name !== 'attestation.json') return file
    const payload = (text: string): string =>
      Buffer.from(Buffer.from(text, 'base64').toString().replace('FAILED', 'PASSED')).toString('base64')
    return textFile(file.name, file.content.toString().replace(/(?<="payload": ")[^"]*/, payload))
  })

const envelopes: readonly (readonly [string, (text: string) => string])[] = [
  ['another payload type', (text) => text.replace('vnd.in-toto+json', 'json')],
  ['a further signature', (text) => text.replace(/(\{\s+"keyid"[^}]*\})/, '$1,\n    $1')],
  ['a member twice', (text) => text.replace('"payload":', '"payload": "",\n  "payload":')],
  ['a further member', (text) => text.replace('"payload"', '"x": 1,\n  "payload"')],
  ['escapes', (text) => text.replace('"payload"', String.raw`"\u0070ayload"`)],
  ['base64 with blanks', (text) => text.replace('"payload": "', '$& ')],
  ['base64 with other last bits', (text) => text.replace(/.==(?="\n)/, '/==')],
  ['nothing in it', () => ''],
  ['no JSON', () => 'nonsense'],
]

const forgeries: readonly Forgery[] = [
  // The files of the run.
  of('a verdict is changed', '"verdict.json" was changed: its SHA-256 is not that in run.sha256', greener),
  of(
    'a page is changed',
    '"index.html" was changed',
    rewritten('index.html', () => 'conformant'),
  ),
  of('a report is removed', '"summary.md" is missing', without('summary.md')),
  of('a report is removed from the list, too', '"summary.md" is missing', without('summary.md'), listedAnew),
  of('a report is added', `"${allureName}" is extra: run.sha256 does not list it`, added(allureName)),
  of('a history is added', '"history.jsonl" is no report of a run', added('history.jsonl'), sealedAnew()),
  of('a name is disguised', '"verdict.json " is no report', added('verdict.json ')),
  of('the list is removed', '"run.sha256" is missing', without('run.sha256')),
  of(
    'the list is no list',
    '"run.sha256" was changed: it is',
    rewritten('run.sha256', (text) => ` ${text}`),
  ),
  of(
    'the list is made anew',
    unlike,
    rewritten('index.html', () => 'conformant'),
    listedAnew,
  ),
  of(
    'a README is changed',
    unlike,
    rewritten('README.txt', (text) => `CONFORMANT\n${text}`),
  ),
  of('a README is removed', '"README.txt" is missing', without('README.txt')),
  // What does not fit, though all digests do.
  of('a rule is made to pass', '"verdict.json" does not fit the format', greener, sealedAnew()),
  of(
    'a verdict is whitewashed',
    `"junit.xml" says "failure" of "${failing}", where "verdict.json" says "passed"`,
    whitewashed,
    sealedAnew(),
  ),
  of(
    'a rule is taken out of JUnit',
    `"junit.xml" says nothing of "${failing}"`,
    rewritten('junit.xml', (text) => text.replaceAll(failing, 'another/rule')),
    sealedAnew(),
  ),
  of(
    'JUnit is commented out',
    `"junit.xml" says nothing of "${failing}"`,
    rewritten('junit.xml', (text) => text.replace('<testsuites', '<!-- x --><testsuites')),
    sealedAnew(),
  ),
  of(
    'Allure says otherwise',
    `"${allureName}" says "passed" of "${failing}", where "verdict.json" says "failed"`,
    added(allureName, JSON.stringify({ name: `${failing}: x`, status: 'passed' })),
    sealedAnew(),
  ),
  of(
    'Allure leaves a rule out',
    '"allure-results/" says nothing of "versioning/unknown-endpoint"',
    added(allureName, JSON.stringify({ name: `${failing}: x`, status: 'failed' })),
    sealedAnew(),
  ),
  of(
    'who made the reports again is hidden',
    unlike,
    rewritten('junit.xml', (text) =>
      text.replace('<property ', '<property name="madeAgainBy" value="9" />$&'),
    ),
    listedAnew,
  ),
  // The statement.
  of('the statement is removed', '"attestation.json" is missing', without('attestation.json')),
  of('a result is made green', unlike, says('FAILED', 'PASSED')),
  of('an exit code is made 0', unlike, says('"exitCode": 1', '"exitCode": 0')),
  of('a validity is added', unlike, says('"exitCode": 1', '"exitCode": 1, "validUntil": "2099"')),
  of('a rule is said to pass', unlike, says('"passedTests": [', `"passedTests": ["${failing}", `)),
  of('a member is there twice', unlike, says('"predicate": {', '"predicate": {},\n  "predicate": {')),
  of('a subject is added', unlike, says('"subject": [', '"subject": [{},')),
  of('a maker is hidden', unlike, says('"sealedBy": {', '"by": {')),
  of(
    'there is no statement',
    unlike,
    attested(() => 'nonsense', theirs.privateKey),
  ),
  of('it is of another format', 'is of the format "card-switch', says('evidence/1', 'evidence/2')),
  ...envelopes.map(([what, change]) =>
    ofSigned(`its envelope has ${what}`, notOurs, rewritten('attestation.json', change)),
  ),
  // The signature.
  { done: 'it is not signed', says: 'the archive is not signed', archive: () => plain, key: 'ours' },
  ofSigned('a signature is removed', 'holds no signature: it was removed', attested(String, null)),
  ofSigned('the statement is changed', unfit, underTheSignature),
  ofSigned('the files are sealed anew without a key', 'the archive is not signed', whitewashed, sealedAnew()),
  ofSigned(
    'the files are sealed anew with another key',
    'the archive was signed with another key',
    rewritten('index.html', () => 'conformant'),
    sealedAnew(theirs.privateKey),
  ),
  ofSigned('another key is put beside', 'the archive was signed with another key', theirKey),
  ofSigned(
    'another key signs, and ours is put beside',
    'names another key than the one in "public-key.pem"',
    attested(String, theirs.privateKey),
  ),
  ofSigned('the key is removed', '"public-key.pem" is missing', without('public-key.pem')),
  ofSigned(
    'the key is none',
    '"public-key.pem" holds no Ed25519 key',
    rewritten('public-key.pem', (text) => text.trim()),
  ),
  ofSigned(
    'a signature is cut',
    unfit,
    rewritten('attestation.json', (text) => text.replace(/(?<="sig": ").{4}/, '')),
  ),
  {
    done: 'the statement is that of another run, which the right key signed',
    says: unlike,
    key: 'ours',
    archive: async () => {
      const other = await filesIn(sealed(sealInput({ ...smallVerdict, seed: 7 }, { key: ours.privateKey })))
      return changed(
        signed,
        rewritten('attestation.json', () => other.get('attestation.json')?.toString() ?? ''),
      )
    },
  },
  // Members.
  alsoHolds('a name leaves the folder', 'it leaves the folder into which', { path: '../escaped.txt' }),
  alsoHolds('a name leaves it from within', 'it leaves the folder into which', {
    path: `${folder}a/../../x`,
  }),
  alsoHolds('a name is absolute', '"/tmp/escaped.txt" is refused: it is absolute', {
    path: '/tmp/escaped.txt',
  }),
  alsoHolds('a name has a drive', 'it is absolute', { path: 'C:/windows/x' }),
  alsoHolds('a name has a backslash', 'it holds a backslash', { path: String.raw`..\verdict.json` }),
  alsoHolds('a name acts on a terminal', String.raw`"\u001b[2Jx" is outside of the folder`, {
    path: '\u001B[2Jx',
  }),
  alsoHolds('there is a second folder', `"elsewhere/x" is outside of the folder "${folder}"`, {
    path: 'elsewhere/x',
  }),
  alsoHolds('a file is there twice', '"verdict.json" is there more than once', {
    path: `${folder}verdict.json`,
  }),
  alsoHolds(
    'a link is there',
    'index.html" is a symbolic link',
    {
      path: `${folder}index.html`,
      type: 'SymbolicLink',
      linkpath: '/etc/passwd',
    },
    '',
  ),
  alsoHolds(
    'a hard link is there',
    'is a hard link',
    { path: `${folder}x`, type: 'Link', linkpath: 'y' },
    '',
  ),
  alsoHolds('a device is there', 'is a device', { path: `${folder}x`, type: 'CharacterDevice' }, ''),
  alsoHolds('a pipe is there', 'is a pipe', { path: `${folder}x`, type: 'FIFO' }, ''),
  alsoHolds('a folder is there', 'is a folder', { path: `${folder}x/`, type: 'Directory' }, ''),
  alsoHolds('a sparse file is there', 'is something else than a file', {
    path: `${folder}x`,
    type: 'SparseFile',
  }),
  alsoHolds(
    'an extended header renames the next file',
    'is something else than a file',
    { path: `${folder}x`, type: 'ExtendedHeader' },
    '26 path=../../escaped.txt\n',
  ),
  // Packing.
  packed('a byte is bent', 'the archive is damaged', () => bent(plain)),
  packed('its end is cut off', 'the archive is cut short', () => plain.subarray(0, -1)),
  packed('half of it is cut off', 'the archive is cut short', () => plain.subarray(0, plain.length >> 1)),
  packed('its tar archive is cut short', 'is cut short behind', () => pack(tarIn(plain).subarray(0, 3_000))),
  packed('its tar archive has no end', 'is cut short behind', () => pack(tarIn(plain).subarray(0, -1_024))),
  packed('a header is bent', 'is damaged', () =>
    pack(bentAt(tarIn(plain), tarIn(plain).indexOf(`${folder}index.html`))),
  ),
  packed('a zero is behind it', 'something behind its end', () => Buffer.concat([plain, Buffer.of(0)])),
  packed('a text is behind it', 'the archive is ', () => Buffer.concat([plain, Buffer.from('more')])),
  packed('an archive is behind it', 'something behind its end', () => Buffer.concat([plain, plain])),
  packed('a file is behind the end of its tar archive', 'something behind its end', () =>
    pack(Buffer.concat([tarIn(plain), member({ path: `${folder}x` }, 'x')])),
  ),
  // No archive.
  none('it is empty', 'it is empty', () => Buffer.of()),
  none('it is a text', 'it is not a gzip archive', () => Buffer.from('evidence')),
  none('it is a packed text', 'it holds no tar archive', () => gzipSync('evidence'.repeat(200))),
  none('it is a tar archive without members', 'it holds no tar archive', () => pack(Buffer.alloc(1_024))),
  none('nobody sealed it', 'it holds nothing that `bundle` sealed', () =>
    pack(Buffer.concat([member({ path: 'reports/index.html' }, '{}'), Buffer.alloc(1_024)])),
  ),
  none('it unpacks to too much', 'it unpacks to more than 256 MiB', bomb),
]

test.for(forgeries)('$done: $says', async ({ archive, says: sentence, code: due = 1, key }) => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'key.pem'), publicPem(ours.publicKey))
  await writeFile(join(cwd, 'forged.tar.gz'), await archive())
  const keyed = key === undefined ? [] : ['--key', 'key.pem']
  const { code, stdout, stderr } = await runIn(cwd, ['verify', 'forged.tar.gz', ...keyed])

  expect(stderr).toContain(sentence)
  expect(stderr).toContain(due === 1 ? 'cannot be trusted, for ' : 'is no archive that `bundle` wrote: ')
  expect(stderr).not.toContain('\u001B')
  expect([code, stdout]).toEqual([due, ''])
  expect(await readdir(cwd)).toEqual(['forged.tar.gz', 'key.pem'])
  expect(await readdir(join(cwd, '..'))).not.toContain('escaped.txt')
})

test.each([
  [plain, []],
  [signed, []],
  [signed, ['--key', 'key.pem']],
])('an archive to which nothing was done is whole', async (archive, keyed) => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'key.pem'), publicPem(ours.publicKey))
  await writeFile(join(cwd, 'sealed.tar.gz'), archive)

  expect(await runIn(cwd, ['verify', 'sealed.tar.gz', ...keyed])).toMatchObject({ code: 0, stderr: '' })
})

/** One bit within the packed bytes is turned over. */
function bent(archive: Buffer): Buffer {
  return bentAt(archive, archive.length >> 1)
}

function bentAt(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}
