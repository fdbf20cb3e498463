/** The client that the small services of `bench/` know. */
export const client = { apiKey: 'ak_live_4hT9mQzL2cVxNf', secretKey: 'Jw8RtU3nBvD5eXyK0aPqLs7G' } as const

/** Settings of a run that fuzzes the API key with so many cases and nothing else. */
export function fuzzing(baseUrl: string, cases: number, atOnce: number): Readonly<Record<string, string>> {
  return {
    TARGET_BASE_URL: baseUrl,
    TARGET_API_KEY: client.apiKey,
    TARGET_SECRET_KEY: client.secretKey,
    RUN_PROFILE: 'nightly',
    RUN_ONLY: 'fuzz/api-key',
    RUN_FUZZ_CASES: String(cases),
    RUN_CONCURRENCY: String(atOnce),
    RUN_MAX_REQUESTS: String(3 * cases + 1_000),
  }
}

/** The answer that the specification demands, by the three fields: status and body. */
export function answerTo(
  key: string | undefined,
  secret: string | undefined,
  version: string | undefined,
): readonly [status: number, body: string] {
  if (key === undefined || key === '') return refused(400, '1001')
  if (secret === undefined || secret === '') return refused(400, '1002')
  if (version === undefined || version === '') return refused(400, '1003')
  if (key !== client.apiKey) return refused(401, '1006')
  if (secret !== client.secretKey) return refused(401, '1007')
  return version === '1' ? [200, '{"customizations":[]}'] : refused(400, '1010')
}

function refused(status: number, code: string): readonly [status: number, body: string] {
  return [status, `{"error_code":"${code}","error_message":"refused"}`]
}
