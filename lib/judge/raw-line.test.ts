import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'

import { derived } from '../generate/derived.ts'
import { headOf } from '../http/raw-head.ts'
import { whyNotRaw } from '../http/raw-refusal.ts'
import type { Request } from '../http/request.ts'
import { Secret } from '../http/secret.ts'
import { targetOf } from '../http/target.ts'
import { makeCertificates } from '../http/testing/certificates.ts'
import { ok, serve } from '../http/testing/servers.ts'
import { rawLine } from './raw-line.ts'
import { credentials, requestWith } from './testing/exchanges.ts'
import { has, runInBash } from './testing/run-in-bash.ts'

const { apiKey } = credentials
const options = { baseUrl: 'http://staging.example/cards', caFile: null }

function rawWith(name: string, value: string | Secret): Request {
  return requestWith({ lane: 'raw', fields: [{ name, value }] })
}

function lineOf(request: Request, changes: Partial<typeof options> = {}): string {
  const line = rawLine(request, { ...options, ...changes })
  if (line === null) throw new Error('no line says it')
  return line
}

describe('a line that writes a request by itself', () => {
  it('is readable, with credentials as variables that are named as the settings are', () => {
    const value = derived(apiKey, 'with a zero-width space', [[0, 7], '\xe2\x80\x8b\0', [7, 11]])

    expect(lineOf(rawWith('x-api-key ', value))).toBe(
      String.raw`printf 'GET /cards/api/customizations/list HTTP/1.1\r\nhost: staging.example\r\n` +
        String.raw`x-api-key : %s\342\200\213\000%s\r\nconnection: close\r\n\r\n' ` +
        '"${TARGET_API_KEY:0:7}" "${TARGET_API_KEY:7:4}" | nc staging.example 80',
    )
    expect(lineOf(rawWith('x', "tab\t 100%s \\ '\x01"))).toContain(
      String.raw`\r\nx: tab\t 100%%s \\ \047\001\r\n`,
    )
    expect(lineOf(rawWith('x', apiKey))).toContain(String.raw`\r\n\r\n' "$TARGET_API_KEY" | nc`)
  })

  it.each([
    ['http://localhost:8080/p', 'nc localhost 8080'],
    ['http://[::1]:8080', 'nc ::1 8080'],
    ["http://it's.example", String.raw`nc 'it'\''s.example' 80`],
    [
      'https://api.example',
      'openssl s_client -quiet -verify_return_error -verify_hostname api.example ' +
        '-connect api.example:443 -servername api.example',
    ],
    [
      'https://[::1]:8443',
      "openssl s_client -quiet -verify_return_error -verify_ip ::1 -connect '[::1]:8443'",
    ],
  ])('is sent to %s by %s', (baseUrl, sender) => {
    expect(lineOf(rawWith('x', 'a'), { baseUrl }).split(' | ')[1]).toBe(sender)
  })

  it('is none where a shell cannot say a credential, or the raw lane does not send the request', () => {
    expect(rawLine(rawWith('x', new Secret('no shell says this', 'value', () => null)), options)).toBeNull()
    expect(rawLine(rawWith('x', 'a\r\n\r\nGET /'), options)).toBeNull()
    expect(rawLine(rawWith('x', '\u0141'), options)).toBeNull()
  })
})

/** Texts of bytes, those that mean something to a shell or to printf more often than others. */
const byteTexts = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(...'\'"\\%$`!;|&# \0\r\t\x7f01789abnsx', '\r\n ', '%s', '\\0', '${'),
  ),
  maxLength: 30,
})

describe('what bash makes of a line', () => {
  it('are the bytes that the raw lane writes', async () => {
    const value = fc.oneof(
      byteTexts,
      fc
        .tuple(byteTexts, byteTexts)
        .map(([one, other]) => derived(apiKey, 'with something', [one, [0, 7], other, [7, 22]])),
    )
    const request = fc
      .record({ name: byteTexts, value, target: byteTexts })
      .map(({ name, value: given, target }) => ({
        ...rawWith(name, given),
        target: `/${target}`,
      }))
    const requests = fc.sample(
      request.filter((one) => whyNotRaw(one) === null),
      { numRuns: 300, seed: 5 },
    )
    const lines = requests.map((one) => lineOf(one))
    const { stdout, stderr } = await runInBash(['nc() { cat; }', ...lines])

    expect(stderr).toBe('')
    expect(stdout.toString('latin1')).toBe(
      Buffer.concat(requests.map((one) => headOf(one, targetOf(options.baseUrl)))).toString('latin1'),
    )
    expect(lines.filter((line) => line.includes(apiKey.reveal().slice(0, 7)))).toEqual([])
  })
})

const request = rawWith('x-api-key ', derived(apiKey, 'with bytes', [[0, 7], '\0\r\xe2\x80\x8b%\\', [7, 22]]))

describe('a line sends to a server', () => {
  it('over TCP', async () => {
    const server = await serve((socket) => socket.end(ok('{}')))
    const baseUrl = `http://127.0.0.1:${server.port}/p`
    // Where nc is missing, bash stands in: what is tested is what the line gives it.
    const nc = 'nc() { exec 3<>"/dev/tcp/$1/$2"; cat >&3; cat <&3; }'
    const { stdout } = await runInBash([nc, lineOf(request, { baseUrl })])

    expect(server.heads).toEqual([headOf(request, targetOf(baseUrl)).toString('latin1')])
    expect(stdout.toString()).toContain('HTTP/1.1 200 OK')
  })

  it.skipIf(!has('openssl'))('over TLS, after a look at the certificate, and shows the answer', async () => {
    const certificates = makeCertificates()
    const folder = mkdtempSync(join(tmpdir(), "it's here-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const caFile = join(folder, 'ca $1.pem')
    writeFileSync(caFile, certificates.ca)
    const lines: string[] = []
    const heads: string[] = []
    for (const certificate of [certificates.local, certificates.other]) {
      const server = await serve((socket) => socket.end(ok('{}', ['Connection: close'])), { certificate })
      for (const [host, file] of [
        ['localhost', caFile],
        ['127.0.0.1', caFile],
        ['localhost', null],
      ] as const) {
        const baseUrl = `https://${host}:${server.port}`
        const line = rawLine(request, { baseUrl, caFile: file })
        const { stdout } = await runInBash([line ?? 'no line'])
        lines.push(stdout.toString().split('\r\n')[0] ?? '')
        heads.push(headOf(request, targetOf(baseUrl)).toString('latin1'))
      }
      expect(server.heads).toEqual(certificate === certificates.local ? heads.slice(0, 2) : [])
    }

    expect(lines).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', '', '', '', ''])
  })
})
