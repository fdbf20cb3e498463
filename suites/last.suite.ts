import { describe } from 'vitest'
import { neverSucceeds } from '../lib/judge/judge.ts'
import { allowed } from '../lib/oracle/allowed.ts'
import { factsOf } from '../lib/oracle/facts-of.ts'
import { example } from '../lib/session/cases.ts'
import { closedDoors } from '../lib/suite/closed-doors.ts'
import { otherMethods } from '../lib/suite/other-methods.ts'
import { refusedClients } from '../lib/suite/refused-clients.ts'
import { rule } from '../lib/suite/rule.ts'
import { sideDoors } from '../lib/suite/side-doors.ts'

// What may lock a client or have the sender banned goes out when everything else has been judged.
describe('Last of all', () => {
  rule('authentication/stays-refused', (context) => refusedClients(context))

  rule('authentication/no-side-door', (context) => [
    ...sideDoors(context).map(({ name, stimulus }) =>
      example(name, stimulus, neverSucceeds(allowed(factsOf(stimulus.request, context.knowledge)))),
    ),
    ...otherMethods(context),
    ...closedDoors(context),
  ])
})
