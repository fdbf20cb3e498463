import { against } from './program-test.ts'

/** A service that reports a missing key as invalid while `fault.isBent`, and the program with its settings. */
export async function mendable(fault = { isBent: true }, files: Readonly<Record<string, string>> = {}) {
  const body = '{"error_code":"1006","error_message":"invalid api key"}'
  const given = await against({
    files,
    intervene: ({ headers }, response) => {
      if (!fault.isBent || headers['x-api-key'] !== undefined) return false
      response.writeHead(401, { 'content-type': 'application/json' }).end(body)
      return true
    },
  })
  return { ...given, fault }
}
