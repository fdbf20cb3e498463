import { testRules } from '../rules.ts'

testRules('errors')
