import { testRules } from '../rules.ts'

testRules('endpoints')
