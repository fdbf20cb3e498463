import { handWritten, type Fixtures, type HandWritten } from './hand-written.ts'
import { requirePeer } from './load.ts'

/** The part of pactum's interface that is used. */
interface Spec {
  readonly get: (url: string) => Spec
  readonly withHeaders: (headers: Readonly<Record<string, string>>) => Spec
  readonly withRequestTimeout: (milliseconds: number) => Spec
  readonly expectHeaderContains: (name: string, value: string) => Spec
  readonly expect: (check: (context: { readonly res: Answered }) => void) => Spec
  readonly toss: () => Promise<unknown>
}

type Answered = { readonly statusCode: number; readonly json: unknown }
type Settings = { readonly setLogLevel: (level: 'SILENT') => void }

/** Sends the hand-written requests with pactum in sequence, as tests run. Returns whether anything failed. */
export async function pactumFails(fixtures: Fixtures, timeoutMs: number): Promise<boolean> {
  const { spec, settings }: { spec: () => Spec; settings: Settings } = requirePeer('pactum')
  settings.setLogLevel('SILENT')
  let failed = false
  for (const one of handWritten(fixtures)) {
    try {
      await spec()
        .get(`${fixtures['TARGET_BASE_URL'] ?? ''}${one.path}`)
        .withHeaders(one.headers)
        .withRequestTimeout(timeoutMs)
        .expectHeaderContains('content-type', 'application/json')
        .expect(({ res }) => mustBeAllowed(res, one))
        .toss()
    } catch {
      failed = true
    }
  }
  return failed
}

function mustBeAllowed({ statusCode, json }: Answered, { name, allowed }: HandWritten): void {
  // Pactum returns a body that is not JSON as text.
  if (typeof json !== 'object' || json === null) throw new Error(`${name}: the answer is not JSON`)
  const given = 'error_code' in json ? json.error_code : null
  if (!allowed.some(({ status, errorCode }) => status === statusCode && errorCode === given))
    throw new Error(`${name}: answered ${statusCode} / ${String(given)}`)
}
