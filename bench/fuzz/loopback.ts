import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { caseClasses } from '../../lib/generate/case-classes.ts'
import { TestClient } from '../../lib/engine/client.ts'
import { userAgent } from '../../lib/engine/test-request.ts'
import { runProperty } from '../../lib/engine/run-property.ts'
import { propertyOf } from '../../lib/suite/fuzz.ts'
import { contextOf, settingsFor, type Tell } from './subject.ts'

const atOnce = 16
const seconds = 5
const cases = 30_000
const asked = 0.5

/** Cases a second against a service in another process, set against what autocannon reaches there, by turns. */
export async function loopback(tell: Tell): Promise<boolean> {
  const { url, stop } = await startService()
  try {
    await ourRate(url)
    const rounds: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const theirs = await autocannonRate(url)
      const ours = await ourRate(url)
      tell(
        `${Math.round(ours)} cases/s; autocannon ${Math.round(theirs)} requests/s; ratio ${(ours / theirs).toFixed(2)}`,
      )
      rounds.push(ours / theirs)
    }
    const ratio = rounds.toSorted((a, b) => a - b)[1] ?? 0
    tell(
      `median ratio ${ratio.toFixed(2)} with ${atOnce} at once (asked: ${asked}${ratio < asked ? ', not reached' : ''})`,
    )
    return ratio >= asked
  } finally {
    stop()
  }
}

/** The service answers by what it is sent, and does nothing else; in a process of its own. */
async function startService(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('service.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the service ended')))
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()))
  })
  return { url, stop: () => void child.kill() }
}

async function autocannonRate(url: string): Promise<number> {
  const { requests } = await autocannon({
    url: `${url}/api/customizations/list`,
    connections: atOnce,
    duration: seconds,
    headers: { 'x-api-key': 'wrong-key-of-some-length', 'x-secret-key': 'secret', 'x-version': '1' },
  })
  return requests.average
}

async function ourRate(url: string): Promise<number> {
  const settings = await settingsFor(url, {
    RUN_FUZZ_CASES: String(cases),
    RUN_CONCURRENCY: String(atOnce),
    RUN_MAX_REQUESTS: String(3 * cases),
  })
  const session = new TestClient({
    settings,
    allotment: { 'fuzz/api-key': cases },
    userAgent: userAgent('bench'),
    signal: new AbortController().signal,
  })
  const property = propertyOf('fuzz/api-key', caseClasses['fuzz/api-key'], contextOf(settings))
  if ('untested' in property) throw new Error(property.untested)
  const started = performance.now()
  const left = await runProperty(session, 'fuzz/api-key', property)
  const took = (performance.now() - started) / 1_000
  const findings = session.findings.of('fuzz/api-key')
  if (left.length > 0 || findings.length > 0) throw new Error(JSON.stringify([left, findings]))
  return session.record().sent / took
}
