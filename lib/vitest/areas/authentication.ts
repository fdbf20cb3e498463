import { testRules } from '../rules.ts'

testRules('authentication')
