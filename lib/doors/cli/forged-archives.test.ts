import type { KeyObject } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { added, attested, bomb, followed, keyPair, listedAnew } from '../../report/evidence/bundle.testing.ts'
import { packed, remade, rewritten, runOf, sealedAnew } from '../../report/evidence/bundle.testing.ts'
import { smallVerdict, without, type FilesChange } from '../../report/evidence/bundle.testing.ts'
import { pack, tarOf } from '../../report/evidence/check.ts'
import { keyFingerprint } from '../../report/evidence/statement.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/verdict.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'

const [ours, theirs] = [keyPair(), keyPair()]
const plain = runOf()
const signed = runOf(smallVerdict, ours.privateKey)
const tar = tarOf(plain, smallVerdict)
const folder = tar.toString('latin1', 0, tar.indexOf('/') + 1)
const allureName = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'
const failing = 'authentication/api-key-missing'
const anyFailing = new RegExp(failing, 'g')

/** A claim about an archive, the message of `verify`, the archive, the exit code, and whether `verify` gets the right key. */
type Forgery = readonly [done: string, says: string, () => Buffer, code?: 0 | 1 | 2, isKeyed?: boolean]

/** Replaces a text in a file of the run. */
const replaced = (name: string, from: string | RegExp, to: string): FilesChange =>
  rewritten(name, (text) => text.replace(from, to))

/** A forgery of an unsigned run. */
function of(done: string, told: string, ...changes: readonly FilesChange[]): Forgery {
  return [done, told, () => packed(plain, ...changes)]
}

/** A forgery of a signed run. */
function ofSigned(done: string, told: string, ...changes: readonly FilesChange[]): Forgery {
  return [done, told, () => packed(signed, ...changes), 1, true]
}

/** A forgery whose digests match, but whose file contradicts the verdict. */
function contradicting(done: string, name: string, change: FilesChange): Forgery {
  return of(done, `"${name}" is not what "verdict.json" says`, change, sealedAnew())
}

const passed = smallVerdict.rules.map((rule) => ({ ...rule, status: 'passed' as const, findings: [] }))
const conformant = { verdict: 'conformant', exitCode: 0, because: [], causes: [], rules: passed } as const
const whitewashed = rewritten('verdict.json', () => verdictJson({ ...smallVerdict, ...conformant }))
const greener = replaced('verdict.json', '"status": "failed"', '"status": "passed"')
const doubled = replaced('verdict.json', '"profile":', '"exitCode": 0,\n  "profile":')
const exitZero = replaced('verdict.json', '"exitCode": 1', '"exitCode": 0')
const greenPage = rewritten('index.html', () => 'conformant')
const accepted = runOf(verdictWith({ profile: 'acceptance', strict: true }))
const ofAcceptance = ['index.html', 'junit.xml'].map((name): Forgery => {
  const archive = () => packed(accepted, replaced(name, /[^]*/, 'conformant'), sealedAnew())
  return [`${name} of an acceptance contradicts the verdict`, `"${name}" is not what`, archive]
})
const ofAllure = (status: string) => added(allureName, JSON.stringify({ name: `${failing}: x`, status }))
const ofReports = ['index.html', 'summary.md', 'metrics.prom'].map((name) =>
  contradicting(`${name} contradicts the verdict`, name, replaced(name, /[^]*/, 'conformant')),
)
const unlike = '"attestation.json" is about other files, or contradicts "verdict.json"'
const notOurs = 'was changed: a run does not write it like this'
const unfit = 'the signature in "attestation.json" does not match the statement and your key'
const unpacked = '`bundle` would pack these files differently'
const around = 'before or after its compressed data'
const says = (from: string | RegExp, to: string): FilesChange =>
  attested((text) => text.replace(from, to), theirs.privateKey)

/** Replaces a text in the payload of an envelope and keeps the signature. */
const pass = (payload: string): string => btoa(atob(payload).replace('FAILED', 'PASSED'))
const inPayload = /(?<="payload": ")[^"]*/
const underTheSignature = rewritten('attestation.json', (text) => text.replace(inPayload, pass))

const sealedAgain = (key: KeyObject | null = null) => [whitewashed, remade, sealedAnew(key)]
const byThem = attested(String, theirs.privateKey)
const asOurs = replaced('attestation.json', /(?<="keyid": ")[^"]*/, keyFingerprint(ours.publicKey))
const otherRun = runOf({ ...smallVerdict, seed: 7 }, ours.privateKey)
const fromOtherRun = rewritten('attestation.json', () => String(otherRun.get('attestation.json')))

const envelopes: readonly (readonly [what: string, from: string | RegExp, to: string])[] = [
  ['another payload type', 'vnd.in-toto+json', 'json'],
  ['an additional signature', /(\{\s+"keyid"[^}]*\})/, '$1,\n    $1'],
  ['a duplicate member', '"payload":', '"payload": "",\n  "payload":'],
  ['an additional member', '"payload"', '"x": 1,\n  "payload"'],
  ['escapes', '"payload"', String.raw`"\u0070ayload"`],
  ['base64 with blanks', '"payload": "', '$& '],
  ['base64 with different trailing bits', /.==(?="\n)/, '/=='],
  ['no content', /[^]*/, ''],
  ['no JSON', /[^]*/, 'nonsense'],
]

const page = { path: `${folder}index.html` }
const renaming = '26 path=../../escaped.txt\n'

/** Extra members of an archive: a label, the message of `verify`, the header and the content. */
const members: readonly (readonly [string, string, Parameters<typeof followed>[1], string?])[] = [
  ['a name that leaves the folder', '"escaped.txt" is not a file', { path: '../escaped.txt' }],
  ['a name that leaves the folder from within', '"../../x" is not a file', { path: `${folder}../../x` }],
  ['an absolute name', '"tmp/escaped.txt" is not a file', { path: '/tmp/escaped.txt' }],
  ['a name with a drive', '"windows/x" is not a file', { path: 'C:/windows/x' }],
  ['a name with a backslash', 'is not a file', { path: String.raw`..\verdict.json` }],
  ['a name that acts on a terminal', String.raw`"\u001b[2Jx" is not a file`, { path: '\u001B[2Jx' }],
  ['a second folder', '"x" is not a file', { path: 'elsewhere/x' }],
  ['a file from another folder', '"verdict.json" was changed', { path: 'elsewhere/verdict.json' }],
  ['a duplicate file', '"verdict.json" was changed', { path: `${folder}verdict.json` }],
  ['a link', '"index.html" was changed', { ...page, type: 'SymbolicLink', linkpath: 'x' }, ''],
  ['a hard link', '"x" is not a file', { path: `${folder}x`, type: 'Link', linkpath: 'y' }, ''],
  ['a device', '"x" is not a file', { path: `${folder}x`, type: 'CharacterDevice' }, ''],
  ['a pipe', '"x" is not a file', { path: `${folder}x`, type: 'FIFO' }, ''],
  ['a folder', '"x/" is not a file', { path: `${folder}x/`, type: 'Directory' }, ''],
  ['a sparse file', '"x" is not a file', { path: `${folder}x`, type: 'SparseFile' }],
  ['a header that renames', '"x" is not a file', { path: `${folder}x`, type: 'ExtendedHeader' }, renaming],
]

/** The tar archive with a few changed bytes in its first header, and a matching checksum. */
function bentHeader(at: number, text: string): Buffer {
  const bent = Buffer.from(tar)
  bent.write(text, at, 'latin1')
  bent.write(' '.repeat(8), 148, 'latin1')
  const sum = bent.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  bent.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return pack(bent)
}

/** The archive with a comment in its gzip header. */
function commented(): Buffer {
  const [head, rest] = [packed(plain).subarray(0, 10), packed(plain).subarray(10)]
  return Buffer.concat([bentAt(head, 3, 16), Buffer.from('CONFORMANT\0'), rest])
}

/** The last file in the archive, with its header. */
const last = tar.subarray(tar.indexOf(`${folder}verdict.json`), -1_024)
const [others, end] = [tar.subarray(0, -1_024 - last.length), tar.subarray(-1_024)]

const forgeries: readonly Forgery[] = [
  // The files of the run.
  of('a verdict is changed', '"verdict.json" was changed: its SHA-256 differs from the one in', greener),
  of('a page is changed', '"index.html" was changed', greenPage),
  of('a report is removed', '"summary.md" is missing', without('summary.md')),
  of('a report is also removed from the list', '"summary.md" is missing', without('summary.md'), listedAnew),
  of('a report is added', `"${allureName}" is extra: run.sha256 does not list it`, added(allureName)),
  of('a history is added', '"history.jsonl" is not a file of a run', added('history.jsonl'), sealedAnew()),
  of('a README is added', '"README.txt" is not a file of a run', added('README.txt'), sealedAnew()),
  of('a key is added', '"public-key.pem" is not a file of a run', added('public-key.pem', theirs.pem)),
  of('a name is disguised', '"verdict.json " is not a file of a run', added('verdict.json ')),
  of('the list is removed', '"run.sha256" is missing', without('run.sha256')),
  of('the list is malformed', 'is extra: run.sha256 does not list it', replaced('run.sha256', /^/, ' ')),
  of('the list has an additional line', `"run.sha256" ${notOurs}`, replaced('run.sha256', /$/, '\n')),
  of('the list is regenerated', 'is not what "verdict.json" says', greenPage, listedAnew),
  // Contradictions although all digests match.
  of('a rule is changed to passed', '"verdict.json" does not match its format', greener, sealedAnew()),
  of('a name in the verdict is duplicated', `"verdict.json" ${notOurs}`, doubled, remade, sealedAnew()),
  of('the exit code is changed', 'contradicts itself: it says nonconformant', exitZero, remade, sealedAnew()),
  contradicting('a verdict is whitewashed', 'junit.xml', whitewashed),
  contradicting('JUnit omits a rule', 'junit.xml', replaced('junit.xml', anyFailing, 'another/rule')),
  contradicting('JUnit is commented out', 'junit.xml', replaced('junit.xml', '<testsuites', '<!-- x -->$&')),
  ...ofReports,
  contradicting('Allure contradicts the verdict', 'allure-results/', ofAllure('passed')),
  contradicting('Allure omits a rule', 'allure-results/', ofAllure('failed')),
  ...ofAcceptance,
  of('the version that made the reports is changed', unlike, says('"madeBy": "1', '"madeBy": "9", "x": "1')),
  // The statement.
  of('the statement is removed', '"attestation.json" is missing', without('attestation.json')),
  of('the result is changed to passed', unlike, says('FAILED', 'PASSED')),
  of('the exit code is changed to 0', unlike, says('"exitCode": 1', '"exitCode": 0')),
  of('a validity is added', unlike, says('"exitCode": 1', '"exitCode": 1, "validUntil": "2099"')),
  of('a rule is listed as passed', unlike, says('"passedTests": [', `"passedTests": ["${failing}", `)),
  of('a member is duplicated', unlike, says('"predicate": {', '"predicate": {},\n  "predicate": {')),
  of('a subject is added', unlike, says('"subject": [', '"subject": [{},')),
  of('the maker is hidden', unlike, says('"madeBy"', '"by"')),
  of('the statement is not JSON', unlike, says(/[^]*/, 'nonsense')),
  of('the statement has another format', 'has the format "card-switch', says('evidence/1', 'evidence/2')),
  ...envelopes.map(([what, from, to]) => {
    const change = replaced('attestation.json', from, to)
    return ofSigned(`its envelope has ${what}`, `"attestation.json" ${notOurs}`, change)
  }),
  // The signature.
  ofSigned('a signature is removed', '"attestation.json" is not signed', attested(String, null)),
  ofSigned('the statement is changed', unfit, underTheSignature),
  ofSigned('the files are sealed again without a key', 'is not signed', ...sealedAgain()),
  ofSigned('another key seals the files', 'names a different key', ...sealedAgain(theirs.privateKey)),
  ofSigned('another key signs the statement', 'names a different key', byThem),
  ofSigned('another key signs with the id of the right key', unfit, byThem, asOurs),
  ofSigned('the signature is truncated', unfit, replaced('attestation.json', /(?<="sig": ").{4}/, '')),
  ofSigned('the statement is from another run with the right key', unlike, fromOtherRun),
  // Packing.
  ...members.map(([what, said, data, content = 'x']): Forgery => {
    return [`it also contains ${what}`, said, () => followed(plain, data, content)]
  }),
  ['a mode is changed', unpacked, () => bentHeader(100, '000755')],
  ['an owner is changed', unpacked, () => bentHeader(108, '001750')],
  ['a time is changed', unpacked, () => bentHeader(136, '00000000001')],
  ['a folder is renamed', unpacked, () => bentHeader(0, 'x')],
  ['the files are in another order', unpacked, () => pack(Buffer.concat([last, others, end]))],
  ['the padding of a file is not empty', unpacked, () => pack(bentAt(tar, tar.length - 1_025))],
  ['its tar archive is followed by another', unpacked, () => pack(Buffer.concat([tar, tar]))],
  ['its tar archive ends with more zeros', unpacked, () => pack(Buffer.concat([tar, Buffer.alloc(512)]))],
  ['its tar archive has no end', unpacked, () => pack(tar.subarray(0, -1_024))],
  ['its tar archive is cut short', 'is missing', () => pack(tar.subarray(0, tar.length >> 1))],
  ['a header is corrupted', 'is missing', () => pack(bentAt(tar, tar.indexOf(`${folder}index.html`)))],
  ['a byte is corrupted', 'the archive is damaged', () => bentAt(packed(plain), packed(plain).length >> 1)],
  ['its end is cut off', 'the archive is cut short', () => packed(plain).subarray(0, -1)],
  ['it is cut off after 5,000 bytes', 'the archive is cut short', () => packed(plain).subarray(0, 5_000)],
  ['a zero byte follows it', around, () => Buffer.concat([packed(plain), Buffer.of(0)])],
  ['a text follows it', 'the archive ', () => Buffer.concat([packed(plain), Buffer.from('more')])],
  ['another archive follows it', around, () => Buffer.concat([packed(plain), packed(plain)])],
  ['a comment precedes its packed bytes', around, commented],
  // Not an archive.
  ['it is empty', 'it is empty', () => Buffer.of(), 2],
  ['it is a text', 'it is not a gzip archive', () => Buffer.from('evidence'), 2],
  ['it is a gzipped text', 'it contains no tar archive', () => pack(Buffer.from('evidence'.repeat(200))), 2],
  ['it is a tar archive without members', 'it contains no tar archive', () => pack(Buffer.alloc(1_024)), 2],
  ['it contains no run', 'it contains nothing that `bundle` packed', () => packed(new Map([['x', tar]])), 2],
  ['it is too large', 'it unpacks to more than 256 MiB', () => Buffer.concat([packed(plain), bomb()]), 2],
]

const introductions = ['', 'cannot be trusted, for ', 'is not an archive written by `bundle`: ']

test.for<Forgery>([
  ['nothing was changed', '', () => packed(plain), 0],
  ['nothing was changed', '', () => packed(signed), 0, true],
  ...forgeries,
])('verify detects that %s: %s', async ([, sentence, archive, due = 1, isKeyed = false]) => {
  const cwd = await emptyFolder()
  await writeFile(join(cwd, 'key.pem'), ours.pem)
  await writeFile(join(cwd, 'forged.tar.gz'), archive())
  const keyed = isKeyed ? ['--key', 'key.pem'] : []
  const { code, stdout, stderr } = await runIn(cwd, ['verify', 'forged.tar.gz', ...keyed])

  expect(stderr).toContain(sentence)
  expect(stderr).toContain(introductions[due])
  expect(stderr).not.toContain('\u001B')
  expect([code, stdout === '', stderr === '']).toEqual([due, due > 0, due === 0])
  expect(await readdir(cwd)).toEqual(['forged.tar.gz', 'key.pem'])
  expect(await readdir(join(cwd, '..'))).not.toContain('escaped.txt')
})

/** A copy with some bits of one byte flipped. */
function bentAt(bytes: Buffer, at: number, bits = 1): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ bits, at)
  return copy
}
