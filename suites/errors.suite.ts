import { area, onEveryAnswer } from '../lib/suite/rule.ts'

export const errors = area('Errors', [
  onEveryAnswer('errors/body-shape'),

  onEveryAnswer('errors/documented-pairs'),
])
