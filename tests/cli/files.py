"""Files that a person imports."""

from __future__ import annotations

DAY = ",".join(["0.5"] * 48)

NEM12 = f"""100,NEM12,202603010000,MDP,RET
200,6102345678,E1B1,1,E1,N1,METER1,kWh,30,
300,20260201,{DAY},A,,,20260202000000,
300,20260202,{DAY},A,,,20260203000000,
200,6102345678,E1B1,1,B1,N1,METER1,kWh,30,
300,20260201,{DAY},A,,,20260202000000,
900
"""

PLAN = {
    "planId": "FLAT1@EME",
    "displayName": "Flat",
    "brandName": "Example Energy",
    "fuelType": "ELECTRICITY",
    "electricityContract": {
        "pricingModel": "SINGLE_RATE",
        "timeZone": "AEST",
        "tariffPeriod": [
            {
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharge": "1.00",
                "rateBlockUType": "singleRate",
                "singleRate": {"rates": [{"unitPrice": "0.30"}]},
            }
        ],
        "solarFeedInTariff": [
            {
                "payerType": "RETAILER",
                "scheme": "OTHER",
                "tariffUType": "singleTariff",
                "singleTariff": {"rates": [{"unitPrice": "0.05"}]},
            }
        ],
    },
}
