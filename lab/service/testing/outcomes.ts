import { startService } from '../start.ts'
import { connect, outcome, type Question } from '../../../lib/serve/reference/testing/ask.ts'

/** What a service with these faults answers to these requests, one after the other on one connection. */
export async function outcomes(
  faults: string | readonly string[],
  ...questions: readonly Question[]
): Promise<string> {
  const service = await startService({ faults: [faults].flat() })
  const connection = connect(service)
  const found: string[] = []
  for (const question of questions) found.push(outcome(await connection.ask(question)))
  await connection.close()
  await service.close()
  return found.join(' ')
}
