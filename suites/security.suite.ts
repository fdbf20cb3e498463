import { onEveryAnswer } from './cases/every-answer.ts'
import { area } from '../lib/suite/rule.ts'

export const security = area('Security', [onEveryAnswer('security/no-secret-echo')])
