import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { clients } from '../../lib/serve/reference/clients.ts'
import { finderOf } from './finder.ts'
import { spellings } from './spellings.ts'
import { leaks } from './leaks.ts'
import { emptyFolder, folderWith } from '../support/program.ts'
import { growth, linear } from '../support/processor-time.ts'

const credentials = [
  'Zm9v+Tq/81==x7Qy9LbHd3',
  'a&b<c>"d%,e;f=41kQ7wXz2Rt',
  'ak_live_HuPvbsz8YJEinxxqnoezFVok',
] as const
const [secret] = credentials
const findAny = finderOf(credentials)
const silent = { stdout: 'nothing', stderr: '', reportsFolder: '/nowhere' }

test.for(Object.keys(spellings))('a credential is found %s', (name) => {
  for (const credential of credentials) {
    const written = (spellings[name] ?? String)(credential)
    const bytes = Buffer.concat([Buffer.from('{"a":"…'), Buffer.from(written), Buffer.from('…"}')])

    expect(new Set(findAny(bytes).map(({ value }) => credentials[value]))).toEqual(new Set([credential]))
  }
})

test('it is found wherever it is shown', async () => {
  const reportsFolder = await emptyFolder()
  await mkdir(join(reportsFolder, 'allure-results'))
  await writeFile(join(reportsFolder, 'allure-results', 'a.json'), secret)

  for (const shown of [{ reportsFolder }, { stdout: secret }, { stderr: secret }, { argv: ['run', secret] }])
    expect(await leaks({ ...silent, ...shown }, [secret])).toHaveLength(1)
  expect(await leaks({ ...silent, reportsFolder, except: ['allure-results/a.json'] }, [secret])).toEqual([])
})

test('it is found in names of files and in what is packed', async () => {
  const name = Buffer.from('a.txt')
  const packed = deflateRawSync(secret)
  const header = Buffer.alloc(30)
  header.write('PK\u0003\u0004', 'latin1')
  header.writeUInt16LE(8, 8)
  header.writeUInt16LE(name.length, 26)

  for (const [file, content] of [
    [`${encodeURIComponent(secret)}.txt`, 'nothing'],
    ['a.gz', gzipSync(secret)],
    ['a.tar.gz.gz', gzipSync(gzipSync(secret))],
    ['a.zip', Buffer.concat([header, name, packed, Buffer.from('PK\u0001\u0002')])],
  ] as const) {
    const reportsFolder = await emptyFolder()
    await writeFile(join(reportsFolder, file), content)

    expect(await leaks({ ...silent, reportsFolder }, [secret]), file).toHaveLength(1)
  }
})

test('a part of it is found from ten letters and digits on', () => {
  const find = finderOf([credentials[2]])

  for (const part of ['ak_live_Hu', 'sz8YJEinxx', 'noezFVok qn', 'xqnoezFVok'])
    expect(find(Buffer.from(`"${part}"`)).length, part).toBe(part.includes(' ') ? 0 : 1)
  for (const part of ['ak_live_H', 'ak.live.Hu', 'sz8YJEinx', '<TARGET_API_KEY>'])
    expect(find(Buffer.from(`"${part}"`)), part).toEqual([])
})

test('one that is short or mostly punctuation is found as a whole', () => {
  const values = ['q7#', 'zebra', '+/=&<>"%,+/=&', '']
  const find = finderOf(values)

  expect(find(Buffer.from('"q7#"'))).toMatchObject([{ value: 0 }])
  expect(find(Buffer.from('emVicmE='))).toMatchObject([{ value: 1 }])
  expect(find(Buffer.from(encodeURIComponent('+/=&<>"%,+/=&'))).map(({ value }) => value)).toContain(2)
  expect(find(Buffer.from('q7 zebr +/=&<>'))).toEqual([])
})

test('one that is shown nowhere is not found, and what is told does not tell it', async () => {
  const reportsFolder = await folderWith({ 'verdict.json': '{"a":"<TARGET_API_KEY>"}' })

  expect(await leaks({ ...silent, reportsFolder }, [secret])).toEqual([])
  expect((await leaks({ ...silent, stdout: secret }, [secret])).join('')).not.toContain(secret.slice(0, 8))
})

test('the time is linear in what is looked through, whatever that consists of', async () => {
  const find = finderOf(Object.values(clients).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey]))
  const size = 256 * 1024
  for (const unit of [
    '{"id":"a1b2c3d4"},\\n',
    '\\u0061',
    '%2525',
    '&#x61;',
    '<',
    '&amp;amp;',
    '=\n',
    'QUJDREVG',
  ]) {
    const look = (bytes: number): unknown => find(Buffer.from(unit.repeat(bytes / unit.length)))

    // Measured: 25 MB a second of reports, 5 MB of nothing but escapes.
    expect(await growth(look, size), unit).toBeLessThan(linear)
  }
})

test('a folder that was never made shows nothing; one whose surroundings are gone fails the search', async () => {
  const folder = await emptyFolder()

  expect(await leaks({ ...silent, reportsFolder: join(folder, 'reports') }, [secret])).toEqual([])
  await expect(
    leaks({ ...silent, reportsFolder: join(folder, 'gone', 'reports') }, [secret]),
  ).rejects.toThrow('neither it nor the folder around it exists any more')
})
