import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict } from '../hostile.testing.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/json-text.ts'
import { archiveOf, checkOf, filesIn, keyPair, sealInput, smallVerdict, tarIn } from './bundle.testing.ts'
import { blockSize } from './archive.ts'
import { parseJsonBytes } from '../../verdict/read-verdict.ts'
import { sealBundle } from './seal.ts'

const exchangesOfRule = 'exchanges/authentication/api-key-missing'

/** The text of a file of the archive that is sealed from this. */
function textOf(name: string, sealing = sealInput()): string {
  const found = filesIn(archiveOf(sealing)).get(name)
  if (found === undefined) throw new Error(`the archive holds no ${name}`)
  return found.toString()
}

describe('an archive', () => {
  it('holds the reports, the exchanges and what checks them, README.txt first', () => {
    const key = keyPair().privateKey

    expect([...filesIn(archiveOf(sealInput(smallVerdict, { key }))).keys()]).toEqual([
      'README.txt',
      'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json',
      'attestation.json',
      `${exchangesOfRule}/1.json`,
      `${exchangesOfRule}/sample.json`,
      'exchanges/versioning/unknown-endpoint/sample.json',
      'index.html',
      'junit.xml',
      'manifest.json',
      'public-key.pem',
      'settings.json',
      'summary.md',
      'verdict.json',
      'versions.json',
    ])
  })

  it('holds the verdict byte for byte', () => {
    const verdictBytes = Buffer.from(JSON.stringify(smallVerdict))

    expect(textOf('verdict.json', sealInput(smallVerdict, { verdictBytes }))).toBe(verdictBytes.toString())
  })

  it('holds each finding with the exchange that shows it, and the settings of the run', () => {
    const { request, response } = findingWith().exchange

    expect(parseJsonBytes(Buffer.from(textOf(`${exchangesOfRule}/1.json`)))).toMatchObject({
      rule: 'authentication/api-key-missing',
      fingerprint: findingWith().fingerprint,
      exchange: { request, response },
    })
    expect(parseJsonBytes(Buffer.from(textOf('settings.json')))).toMatchObject({
      TARGET_BASE_URL: smallVerdict.target.baseUrl,
      RUN_PROFILE: 'gate',
      RUN_MAX_REQUESTS: 500,
    })
  })

  it('has nobody as owner, the time at which the run began, and nothing in its gzip header', () => {
    const { bytes } = sealBundle(sealInput())
    const header = tarIn(bytes).subarray(0, blockSize).toString('latin1')

    expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
    expect(header.slice(100, 124).match(/[0-7]+/g)).toEqual(['000644', '000000', '000000'])
    expect(Number.parseInt(header.slice(136, 147), 8) * 1_000).toBe(Date.parse(smallVerdict.startedAt))
  })

  it('is the same bytes for the same input', () => {
    const { privateKey } = keyPair()
    const again = () => sealBundle(sealInput(nonconformantVerdict(), { key: privateKey })).bytes

    expect(again().equals(again())).toBe(true)
    expect(sealBundle(sealInput()).bytes.equals(again())).toBe(false)
  })

  it('of any verdict is sound, whatever a service put into it', async () => {
    for (const verdict of [nonconformantVerdict(), errorVerdict()]) {
      expect(await checkOf(archiveOf(sealInput(verdict)))).toMatchObject({ kind: 'sound' })
    }
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        // A reason that is empty is none: no run writes such a verdict.
        const verdict = hostileVerdict(`-${text}`)
        expect(await checkOf(archiveOf(sealInput(verdict)))).toMatchObject({ kind: 'sound' })
      }),
      { numRuns: 25 },
    )
  })

  it('holds nothing of a target that acts on whoever shows a file of it, and still all of it', () => {
    const text = 'ü \u009B31m \u202E \u{E0041} \uD800 ##[add-path]/tmp'
    const sealing = sealInput(hostileVerdict(text))
    const one = textOf('exchanges/errors/body-shape/1.json', sealing)

    expect(one).toMatch(/^[\n -~]*$/)
    expect(one).not.toContain('##')
    const read = text.replace('\uD800', '\uFFFD')
    expect(parseJsonBytes(Buffer.from(one))).toMatchObject({
      case: read,
      exchange: { response: { body: read } },
    })
    expect(textOf('settings.json', sealing)).toMatch(/^[\n -~]*$/)
  })

  it('of a verdict with 10,000 findings is sound', async () => {
    const findings = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ fingerprint: `${index}`.padStart(16, '0') }),
    )
    const rules = [ruleWith('fuzz/api-key', { status: 'failed', findings })]
    const verdict = { ...smallVerdict, rules }

    expect(await checkOf(archiveOf(sealInput(verdict)))).toMatchObject({ kind: 'sound', files: 10_011 })
  })

  it('is none of a verdict that was changed by hand so that a file would have no name', () => {
    const rule = ruleWith('versioning/unknown-endpoint')
    const long = { ...rule, id: JSON.parse(`"a/${'a'.repeat(300)}"`) }

    expect(() => sealBundle(sealInput(verdictWith({ rules: [long] })))).toThrow(
      'at a length that no archive holds',
    )
  })

  it('is none where it would be larger than what is checked', () => {
    const verdictBytes = Buffer.concat([
      Buffer.from(verdictJson(smallVerdict)),
      Buffer.alloc(256 * 1024 * 1024),
    ])

    expect(() => sealBundle(sealInput(smallVerdict, { verdictBytes }))).toThrow('more than 256 MiB')
  })
})
