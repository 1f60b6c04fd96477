import { testLooks } from "../support/dashboard-looks.ts";

testLooks("deliverability");
