import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  added,
  attested,
  bomb,
  filesIn,
  followed,
  keyPair,
  listedAnew,
  packed,
  remade,
  rewritten,
  runOf,
  sealedAnew,
  smallVerdict,
  without,
  type FilesChange,
} from '../../report/evidence/bundle.testing.ts'
import { pack, tarOf } from '../../report/evidence/archive.ts'
import { keyFingerprint } from '../../report/evidence/keys.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'

const [ours, theirs] = [keyPair(), keyPair()]
const plain = runOf()
const signed = runOf(smallVerdict, ours.privateKey)
const tar = tarOf(plain, smallVerdict)
const folder = tar.toString('latin1', 0, tar.indexOf('/') + 1)
const allureName = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'
const failing = 'authentication/api-key-missing'

/** What is done to an archive, what is said of it, it, and how `verify` ends: with 1, or with 2 for what is no archive. */
type Forgery = readonly [done: string, says: string, archive: () => Buffer, code?: 2]

/** Archives that are checked with the right key. */
const signedForgeries = new Set<() => Buffer>()

/** A forgery of the files of a run. */
function of(done: string, says: string, ...changes: readonly FilesChange[]): Forgery {
  return [done, says, () => packed(plain, ...changes)]
}

/** A forgery of a signed run. */
function ofSigned(done: string, says: string, ...changes: readonly FilesChange[]): Forgery {
  const archive = (): Buffer => packed(signed, ...changes)
  signedForgeries.add(archive)
  return [done, says, archive]
}

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
const greener = rewritten('verdict.json', (text) => text.replace('"status": "failed"', '"status": "passed"'))
const greenPage = rewritten('index.html', () => 'conformant')
const accepted = runOf(verdictWith({ profile: 'acceptance', strict: true }))
const unlike = '"attestation.json" is about other files, or contradicts "verdict.json"'
const notOurs = '"attestation.json" was changed: a run does not write it like this'
const unfit = 'the signature in "attestation.json" does not match the statement and your key'
const unpacked = '`bundle` would pack these files differently'
const says = (from: string, to: string): FilesChange =>
  attested((text) => text.replace(from, to), theirs.privateKey)

/** A text in an envelope's payload replaced, under the signature of before. */
const underTheSignature = rewritten('attestation.json', (text) =>
  text.replace(/(?<="payload": ")[^"]*/, (payload) =>
    Buffer.from(Buffer.from(payload, 'base64').toString().replace('FAILED', 'PASSED')).toString('base64'),
  ),
)

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

/** Members behind those of an archive, by what a header can say: what each is, and what is said of it. */
const members: readonly (readonly [string, string, Parameters<typeof followed>[1], string?])[] = [
  ['a name that leaves the folder', '"escaped.txt" is not a file', { path: '../escaped.txt' }],
  ['one that leaves it from within', '"../../x" is not a file', { path: `${folder}../../x` }],
  ['an absolute name', '"tmp/escaped.txt" is not a file', { path: '/tmp/escaped.txt' }],
  ['a name with a drive', '"windows/x" is not a file', { path: 'C:/windows/x' }],
  ['a name with a backslash', 'is not a file', { path: String.raw`..\verdict.json` }],
  ['a name that acts on a terminal', String.raw`"\u001b[2Jx" is not a file`, { path: '\u001B[2Jx' }],
  ['a second folder', '"x" is not a file', { path: 'elsewhere/x' }],
  ['a file of another folder', '"verdict.json" was changed', { path: 'elsewhere/verdict.json' }],
  ['a file twice', '"verdict.json" was changed', { path: `${folder}verdict.json` }],
  [
    'a link',
    '"index.html" was changed',
    { path: `${folder}index.html`, type: 'SymbolicLink', linkpath: 'x' },
    '',
  ],
  ['a hard link', '"x" is not a file', { path: `${folder}x`, type: 'Link', linkpath: 'y' }, ''],
  ['a device', '"x" is not a file', { path: `${folder}x`, type: 'CharacterDevice' }, ''],
  ['a pipe', '"x" is not a file', { path: `${folder}x`, type: 'FIFO' }, ''],
  ['a folder', '"x/" is not a file', { path: `${folder}x/`, type: 'Directory' }, ''],
  ['a sparse file', '"x" is not a file', { path: `${folder}x`, type: 'SparseFile' }],
  [
    'an extended header that renames the next file',
    '"x" is not a file',
    { path: `${folder}x`, type: 'ExtendedHeader' },
    '26 path=../../escaped.txt\n',
  ],
]

/** A whole tar archive of which a few bytes are others, with a checksum that fits. */
function bentHeader(at: number, text: string): Buffer {
  const bent = Buffer.from(tar)
  bent.write(text, at, 'latin1')
  bent.write(' '.repeat(8), 148, 'latin1')
  const sum = bent.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  bent.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return pack(bent)
}

/** The last file of the archive with its header. */
const last = tar.subarray(tar.indexOf(`${folder}verdict.json`), -1_024)

const forgeries: readonly Forgery[] = [
  // The files of the run.
  of(
    'a verdict is changed',
    '"verdict.json" was changed: its SHA-256 differs from the one in run.sha256',
    greener,
  ),
  of('a page is changed', '"index.html" was changed', greenPage),
  of('a report is removed', '"summary.md" is missing', without('summary.md')),
  of('a report is removed from the list, too', '"summary.md" is missing', without('summary.md'), listedAnew),
  of('a report is added', `"${allureName}" is extra: run.sha256 does not list it`, added(allureName)),
  of('a history is added', '"history.jsonl" is not a file of a run', added('history.jsonl'), sealedAnew()),
  of('a README is added', '"README.txt" is not a file of a run', added('README.txt'), sealedAnew()),
  of('a key is added', '"public-key.pem" is not a file of a run', added('public-key.pem', theirs.pem)),
  of('a name is disguised', '"verdict.json " is not a file of a run', added('verdict.json ')),
  of('the list is removed', '"run.sha256" is missing', without('run.sha256')),
  of(
    'the list is no list',
    'is extra: run.sha256 does not list it',
    rewritten('run.sha256', (text) => ` ${text}`),
  ),
  of(
    'the list has a further line',
    '"run.sha256" was changed: a run does not write it like this',
    rewritten('run.sha256', (text) => `${text}\n`),
  ),
  of('the list is made anew', 'is not what "verdict.json" says', greenPage, listedAnew),
  // What does not fit, though all digests do.
  of('a rule is made to pass', '"verdict.json" does not match its format', greener, sealedAnew()),
  of(
    'a name stands twice in the verdict',
    '"verdict.json" was changed: a run does not write it like this',
    rewritten('verdict.json', (text) => text.replace('"profile":', '"exitCode": 0,\n  "profile":')),
    remade,
    sealedAnew(),
  ),
  of('a verdict is whitewashed', '"junit.xml" is not what "verdict.json" says', whitewashed, sealedAnew()),
  of(
    'a rule is taken out of JUnit',
    '"junit.xml" is not what "verdict.json" says',
    rewritten('junit.xml', (text) => text.replaceAll(failing, 'another/rule')),
    sealedAnew(),
  ),
  of(
    'JUnit is commented out',
    '"junit.xml" is not what "verdict.json" says',
    rewritten('junit.xml', (text) => text.replace('<testsuites', '<!-- x --><testsuites')),
    sealedAnew(),
  ),
  ...['index.html', 'summary.md', 'metrics.prom'].map((name) =>
    of(
      `${name} says otherwise`,
      `"${name}" is not what`,
      rewritten(name, () => 'conformant'),
      sealedAnew(),
    ),
  ),
  of(
    'Allure says otherwise',
    '"allure-results/" is not what "verdict.json" says',
    added(allureName, JSON.stringify({ name: `${failing}: x`, status: 'passed' })),
    sealedAnew(),
  ),
  of(
    'Allure leaves a rule out',
    '"allure-results/" is not what "verdict.json" says',
    added(allureName, JSON.stringify({ name: `${failing}: x`, status: 'failed' })),
    sealedAnew(),
  ),
  [
    'the page of an acceptance says otherwise',
    '"index.html" is not what',
    () => packed(accepted, greenPage, sealedAnew()),
  ],
  [
    'JUnit of an acceptance says otherwise',
    '"junit.xml" is not what',
    () =>
      packed(
        accepted,
        rewritten('junit.xml', () => '<testsuites/>'),
        sealedAnew(),
      ),
  ],
  of('who made the reports is said otherwise', unlike, says('"madeBy": "1', '"madeBy": "9", "x": "1')),
  // The statement.
  of('the statement is removed', '"attestation.json" is missing', without('attestation.json')),
  of('a result is made green', unlike, says('FAILED', 'PASSED')),
  of('an exit code is made 0', unlike, says('"exitCode": 1', '"exitCode": 0')),
  of('a validity is added', unlike, says('"exitCode": 1', '"exitCode": 1, "validUntil": "2099"')),
  of('a rule is said to pass', unlike, says('"passedTests": [', `"passedTests": ["${failing}", `)),
  of('a member is there twice', unlike, says('"predicate": {', '"predicate": {},\n  "predicate": {')),
  of('a subject is added', unlike, says('"subject": [', '"subject": [{},')),
  of('a maker is hidden', unlike, says('"madeBy"', '"by"')),
  of(
    'there is no statement',
    unlike,
    attested(() => 'nonsense', theirs.privateKey),
  ),
  of('it is of another format', 'has the format "card-switch', says('evidence/1', 'evidence/2')),
  ...envelopes.map(([what, change]) =>
    ofSigned(`its envelope has ${what}`, notOurs, rewritten('attestation.json', change)),
  ),
  // The signature.
  ofSigned('a signature is removed', '"attestation.json" is not signed', attested(String, null)),
  ofSigned('the statement is changed', unfit, underTheSignature),
  ofSigned('the files are sealed anew without a key', 'is not signed', whitewashed, remade, sealedAnew()),
  ofSigned(
    'the files are sealed anew with another key',
    'names a different key',
    whitewashed,
    remade,
    sealedAnew(theirs.privateKey),
  ),
  ofSigned('another key signs', 'names a different key', attested(String, theirs.privateKey)),
  ofSigned(
    'another key signs in the name of ours',
    unfit,
    attested(String, theirs.privateKey),
    rewritten('attestation.json', (text) =>
      text.replace(/(?<="keyid": ")[^"]*/, keyFingerprint(ours.publicKey)),
    ),
  ),
  ofSigned(
    'a signature is cut',
    unfit,
    rewritten('attestation.json', (text) => text.replace(/(?<="sig": ").{4}/, '')),
  ),
  ofSigned(
    'the statement is that of another run, which the right key signed',
    unlike,
    rewritten('attestation.json', () => {
      const other = runOf({ ...smallVerdict, seed: 7 }, ours.privateKey)
      return other.get('attestation.json')?.toString() ?? ''
    }),
  ),
  // Packing.
  ...members.map(([what, said, data, content = 'x']): Forgery => [
    `it also holds ${what}`,
    said,
    () => followed(plain, data, content),
  ]),
  ['a mode is another', unpacked, () => bentHeader(100, '000755')],
  ['an owner is another', unpacked, () => bentHeader(108, '001750')],
  ['a time is another', unpacked, () => bentHeader(136, '00000000001')],
  ['a folder is another', unpacked, () => bentHeader(0, 'x')],
  [
    'the files are in another order',
    unpacked,
    () => pack(Buffer.concat([last, tar.subarray(0, -1_024 - last.length), tar.subarray(-1_024)])),
  ],
  ['something is in the padding of a file', unpacked, () => pack(bentAt(tar, tar.length - 1_025))],
  ['something is behind the end of its tar archive', unpacked, () => pack(Buffer.concat([tar, tar]))],
  ['its tar archive ends with more zeros', unpacked, () => pack(Buffer.concat([tar, Buffer.alloc(512)]))],
  ['its tar archive has no end', unpacked, () => pack(tar.subarray(0, -1_024))],
  ['its tar archive is cut short', 'is missing', () => pack(tar.subarray(0, tar.length >> 1))],
  ['a header is bent', 'is missing', () => pack(bentAt(tar, tar.indexOf(`${folder}index.html`)))],
  ['a byte is bent', 'the archive is damaged', () => bentAt(packed(plain), packed(plain).length >> 1)],
  ['its end is cut off', 'the archive is cut short', () => packed(plain).subarray(0, -1)],
  ['half of it is cut off', 'the archive is cut short', () => packed(plain).subarray(0, 5_000)],
  ['a zero is behind it', 'contains something after', () => Buffer.concat([packed(plain), Buffer.of(0)])],
  ['a text is behind it', 'the archive ', () => Buffer.concat([packed(plain), Buffer.from('more')])],
  ['an archive is behind it', unpacked, () => Buffer.concat([packed(plain), packed(plain)])],
  [
    'a comment is before its packed bytes',
    'contains something after',
    () => {
      const [head, rest] = [packed(plain).subarray(0, 10), packed(plain).subarray(10)]
      return Buffer.concat([bentAt(head, 3, 16), Buffer.from('CONFORMANT\0'), rest])
    },
  ],
  // No archive.
  ['it is empty', 'it is empty', () => Buffer.of(), 2],
  ['it is a text', 'it is not a gzip archive', () => Buffer.from('evidence'), 2],
  ['it is a packed text', 'it contains no tar archive', () => pack(Buffer.from('evidence'.repeat(200))), 2],
  ['it is a tar archive without members', 'it contains no tar archive', () => pack(Buffer.alloc(1_024)), 2],
  ['no run left it', 'it contains nothing that `bundle` packed', () => packed(new Map([['x', tar]])), 2],
  [
    'it unpacks to too much behind another',
    'it unpacks to more than 256 MiB',
    () => Buffer.concat([packed(plain), bomb()]),
    2,
  ],
]

test.for(forgeries)('%s: %s', async ([, sentence, archive, due = 1]) => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'key.pem'), ours.pem)
  await writeFile(join(cwd, 'forged.tar.gz'), archive())
  const keyed = signedForgeries.has(archive) ? ['--key', 'key.pem'] : []
  const { code, stdout, stderr } = await runIn(cwd, ['verify', 'forged.tar.gz', ...keyed])

  expect(stderr).toContain(sentence)
  expect(stderr).toContain(due === 1 ? 'cannot be trusted, for ' : 'is not an archive written by `bundle`: ')
  expect(stderr).not.toContain('\u001B')
  expect([code, stdout]).toEqual([due, ''])
  expect(await readdir(cwd)).toEqual(['forged.tar.gz', 'key.pem'])
  expect(await readdir(join(cwd, '..'))).not.toContain('escaped.txt')
})

test.each([
  [plain, []],
  [signed, []],
  [signed, ['--key', 'key.pem']],
])('an unchanged archive is intact', async (files, keyed) => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'key.pem'), ours.pem)
  await writeFile(join(cwd, 'packed.tar.gz'), packed(files))

  expect(await runIn(cwd, ['verify', 'packed.tar.gz', ...keyed])).toMatchObject({ code: 0, stderr: '' })
  expect([...(await filesIn(packed(files))).keys()]).toEqual([...files.keys()].toSorted())
})

/** Bits of one byte turned over. */
function bentAt(bytes: Buffer, at: number, bits = 1): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ bits, at)
  return copy
}
