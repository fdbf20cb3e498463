import { onTestFinished } from 'vitest'
import { startReference } from '../../lib/serve/reference/service.ts'

/** A service that reports a missing key as an invalid one while `fault.isBent`. It is closed when the test ends. */
export async function mendable(fault = { isBent: true }) {
  const service = await startReference({
    intervene: ({ headers }, response) => {
      if (!fault.isBent || headers['x-api-key'] !== undefined) return false
      const body = '{"error_code":"1006","error_message":"invalid api key"}'
      response.writeHead(401, { 'content-type': 'application/json' }).end(body)
      return true
    },
  })
  onTestFinished(() => service.close())
  return { service, fault }
}
