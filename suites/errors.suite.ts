import { onEveryAnswer } from './cases/every-answer.ts'
import { area } from '../lib/suite/rule.ts'

export const errors = area('Errors', [
  onEveryAnswer('errors/body-shape'),

  onEveryAnswer('errors/documented-pairs'),
])
