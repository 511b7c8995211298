/** Users and what refers to them. service behaviour 1.4, 1.5; notation: message-table.ts. */
export const userMessages = `
DataHumanUser { user_id=1 string; user=2 ImportHumanUserRequest; state=3 UserState; }
ImportHumanUserRequest { user_name=1 string 1..200; profile=2 ImportHumanUserRequest_Profile required;
  email=3 ImportHumanUserRequest_Email required; phone=4 ImportHumanUserRequest_Phone; password=5 string;
  hashed_password=6 ImportHumanUserRequest_HashedPassword; password_change_required=7 bool;
  request_passwordless_registration=8 bool; otp_code=9 string; idps=10 ImportHumanUserRequest_IDP[]; }
ImportHumanUserRequest_Profile { first_name=1 string 1..200; last_name=2 string 1..200; nick_name=3 string ..200;
  display_name=4 string ..200; preferred_language=5 string ..10; gender=6 Gender; }
ImportHumanUserRequest_Email { email=1 string email; is_email_verified=2 bool; }
ImportHumanUserRequest_Phone { phone=1 string 1..50 prefix+; is_phone_verified=2 bool; }
ImportHumanUserRequest_HashedPassword { value=1 string; }
ImportHumanUserRequest_IDP { config_id=1 string 1..200; external_user_id=2 string 1..200; display_name=3 string ..200; }
DataMachineUser { user_id=1 string; user=2 AddMachineUserRequest; state=3 UserState; }
AddMachineUserRequest { user_name=1 string 1..200; name=2 string 1..200; description=3 string ..500;
  access_token_type=4 AccessTokenType defined; user_id=5 string optional 1..200; }
AddUserGrantRequest { user_id=1 string 1..200; project_id=2 string 1..200; project_grant_id=3 string ..200;
  role_keys=4 string[]; }
AddOrgMemberRequest { user_id=1 string 1..200; roles=2 string[]; }
AddProjectMemberRequest { project_id=1 string 1..200; user_id=2 string 1..200; roles=3 string[]; }
AddProjectGrantMemberRequest { project_id=1 string 1..200; grant_id=2 string 1..200; user_id=3 string 1..200;
  roles=4 string[]; }
SetUserMetadataRequest { id=1 string 1..200; key=2 string 1..200; value=3 bytes 1..500000b; }
IDPUserLink { user_id=1 string; idp_id=2 string; idp_name=3 string; provided_user_id=4 string;
  provided_user_name=5 string; idp_type=6 IDPType; }
DataMachineKey { key_id=1 string; user_id=2 string; type=3 KeyType; expiration_date=4 timestamp; public_key=5 bytes; }
`;
