import { area, onEveryAnswer } from '../lib/suite/rule.ts'

export const security = area('Security', [
  onEveryAnswer('security/no-secret-echo'),
  onEveryAnswer('security/no-shared-cache'),
])
