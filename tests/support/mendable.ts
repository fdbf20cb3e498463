import { onTestFinished } from 'vitest'
import { startReference, type ReferenceService } from '../../lib/serve/reference/service.ts'

/** A service that takes a missing key for an invalid one until it is mended; it ends with the test. */
export async function mendable(): Promise<{ readonly service: ReferenceService; readonly mend: () => void }> {
  let isBroken = true
  const service = await startReference({
    intervene: ({ headers }, response) => {
      if (!isBroken || headers['x-api-key'] !== undefined) return false
      const body = '{"error_code":"1006","error_message":"invalid api key"}'
      response.writeHead(401, { 'content-type': 'application/json' }).end(body)
      return true
    },
  })
  onTestFinished(() => service.close())
  const mend = (): void => {
    isBroken = false
  }
  return { service, mend }
}
